/** In Unicode code points. */
export const maxNameLength = 255;

/** Control and bidi characters and line ends, spelled out because the pattern is part of the OpenAPI document. */
const unprintable = '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';
const everyUnprintable = new RegExp(`[${unprintable}]`, 'gu');
const separator = /[/\\]/;

export const renamePattern = `^[^/\\\\${unprintable}]*$`;

/** `details.reason` of the error. */
export type NameRefusal = 'name_empty' | 'name_too_long';

type DocumentName = { ok: true; name: string } | { ok: false; reason: NameRefusal };

/**
 * Returns the document name for an uploaded file: the part after the last slash or backslash, in NFC, without control and
 * bidi characters.
 */
export function parseDocumentName(fileName: string): DocumentName {
  const base = fileName.split(separator).at(-1) ?? '';
  return checkLength(base.toWellFormed().replace(everyUnprintable, '').normalize('NFC').trim());
}

/** Returns what is wrong with a new name beyond its schema, or null. Names that a person chose are not corrected. */
export function findRenameProblem(requested: string): string | null {
  const named = checkLength(normalize(requested));
  if (named.ok) return null;
  return named.reason === 'name_empty'
    ? 'must be more than blanks or dots'
    : `must NOT have more than ${maxNameLength} characters in NFC`;
}

/** Returns the valid new name in NFC, or null when its extension differs (ignoring case). */
export function toRenamedDocument(current: string, requested: string): string | null {
  const name = normalize(requested);
  return getExtension(name) === getExtension(current) ? name : null;
}

/** Returns the extension in lower case without its dot, or `''`. */
export function getExtension(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
}

const normalize = (requested: string): string => requested.normalize('NFC').trim();

function checkLength(name: string): DocumentName {
  if (name === '' || name === '.' || name === '..') return { ok: false, reason: 'name_empty' };
  if ([...name].length > maxNameLength) return { ok: false, reason: 'name_too_long' };
  return { ok: true, name };
}
