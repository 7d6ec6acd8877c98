/** The longest name of a document, in Unicode code points. */
export const maxNameLength = 255;

const unprintable = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const separator = /[/\\]/;

/** Why a name is refused; `details.reason` of the error. */
export type NameRefusal = 'name_empty' | 'name_too_long' | 'name_invalid' | 'extension_changed';

type DocumentName = { ok: true; name: string } | { ok: false; reason: NameRefusal };

/**
 * The name of a document from the file name of an upload: its last part after either kind of slash, in NFC, without the
 * control and bidi characters that file names pick up on their way. Refused when nothing is left or too much.
 */
export function documentNameOf(fileName: string): DocumentName {
  const base = fileName.split(separator).at(-1) ?? '';
  return withinBounds(base.toWellFormed().normalize('NFC').replace(unprintable, '').trim());
}

/**
 * The new name of a document, in NFC. What a person chose is not corrected: slashes, control and bidi characters are
 * refused, and so is another extension than the one it has (letter case aside).
 */
export function renamedDocument(current: string, requested: string): DocumentName {
  if (!requested.isWellFormed() || requested.search(unprintable) !== -1 || separator.test(requested)) {
    return { ok: false, reason: 'name_invalid' };
  }
  const renamed = withinBounds(requested.normalize('NFC').trim());
  if (renamed.ok && extensionOf(renamed.name) !== extensionOf(current))
    return { ok: false, reason: 'extension_changed' };
  return renamed;
}

/** The extension of a name in lower case, without its dot; `''` when it has none. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
}

function withinBounds(name: string): DocumentName {
  if (name === '' || name === '.' || name === '..') return { ok: false, reason: 'name_empty' };
  if ([...name].length > maxNameLength) return { ok: false, reason: 'name_too_long' };
  return { ok: true, name };
}
