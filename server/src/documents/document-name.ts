/** The longest name of a document, in Unicode code points. */
export const maxNameLength = 255;

/** Control and bidi characters, and what ends a line or paragraph: spelt out, for those who read the pattern elsewhere. */
const unprintable = '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';
const everyUnprintable = new RegExp(`[${unprintable}]`, 'gu');
const separator = /[/\\]/;

/** Of a name that a person chose: no slashes, control or bidi characters. */
export const renamePattern = `^[^/\\\\${unprintable}]*$`;

/** Why the name of an upload is refused; `details.reason` of the error. */
export type NameRefusal = 'name_empty' | 'name_too_long';

type DocumentName = { ok: true; name: string } | { ok: false; reason: NameRefusal };

/**
 * The name of a document from the file name of an upload: its last part after either kind of slash, in NFC, without the
 * control and bidi characters that file names pick up on their way. Refused when nothing is left or too much.
 */
export function parseDocumentName(fileName: string): DocumentName {
  const base = fileName.split(separator).at(-1) ?? '';
  return withinBounds(base.toWellFormed().replace(everyUnprintable, '').normalize('NFC').trim());
}

/** What is wrong with a new name of any document beyond its schema, or null. What a person chose is not corrected. */
export function findRenameProblem(requested: string): string | null {
  const named = withinBounds(tidied(requested));
  if (named.ok) return null;
  return named.reason === 'name_empty'
    ? 'must be more than blanks or dots'
    : `must NOT have more than ${maxNameLength} characters in NFC`;
}

/** The new name, one without faults, in NFC; null when it has another extension than the document (letter case aside). */
export function toRenamedDocument(current: string, requested: string): string | null {
  const name = tidied(requested);
  return getExtension(name) === getExtension(current) ? name : null;
}

/** The extension of a name in lower case, without its dot; `''` when it has none. */
export function getExtension(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
}

const tidied = (requested: string): string => requested.normalize('NFC').trim();

function withinBounds(name: string): DocumentName {
  if (name === '' || name === '.' || name === '..') return { ok: false, reason: 'name_empty' };
  if ([...name].length > maxNameLength) return { ok: false, reason: 'name_too_long' };
  return { ok: true, name };
}
