/** In Unicode code points. */
export const maxNameLength = 255;

/** Control, bidi and line end characters, spelled out because OpenAPI shows the pattern. */
const unprintable = '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';
const everyUnprintable = new RegExp(`[${unprintable}]`, 'gu');
const separator = /[/\\]/;

export const renamePattern = `^[^/\\\\${unprintable}]*$`;

export type NameRefusal = 'name_empty' | 'name_too_long';

type DocumentName = { ok: true; name: string } | { ok: false; reason: NameRefusal };

/** Removes the path, control and bidi characters, and converts to NFC. */
export function parseDocumentName(fileName: string): DocumentName {
  const base = fileName.split(separator).at(-1) ?? '';
  return checkLength(base.toWellFormed().replace(everyUnprintable, '').normalize('NFC').trim());
}

/** Checks the rules beyond the schema. Returns null for a valid name. */
export function findRenameProblem(requested: string): string | null {
  const named = checkLength(normalize(requested));
  if (named.ok) return null;
  return named.reason === 'name_empty'
    ? 'must be more than blanks or dots'
    : `must have at most ${maxNameLength} characters in NFC`;
}

/** Returns the name in NFC, or null when its extension differs (ignoring case). */
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
