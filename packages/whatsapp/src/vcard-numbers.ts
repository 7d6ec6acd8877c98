import ICAL from 'ical.js';

/** Cards with a photo are larger. Their numbers come before it. */
const maxCardLength = 65_536;
/** Lines that are not valid count, too. */
const maxNumbers = 20;
const maxNumberLength = 40;

/** Returns the phone numbers in a contact's card. Ignores lines that are not valid. */
export function readNumbers(card: string): string[] {
  const unfolded = card.slice(0, maxCardLength).replaceAll(/\r?\n[ \t]/g, '');
  const lines = unfolded.split(/\r?\n/).filter(isNumber).slice(0, maxNumbers);
  return lines.flatMap((line) => readNumber(line) ?? []);
}

function isNumber(line: string): boolean {
  const [name = ''] = line.slice(0, maxNameLength).split(/[;:]/, 1);
  return name.split('.').at(-1)?.toUpperCase() === 'TEL';
}

function readNumber(line: string): string | null {
  try {
    // A property is an array of its name, parameters, type and values. The library's type is `any`.
    const [, , , value]: unknown[] = ICAL.parse.property(line, ICAL.design.vcard3);
    const number = String(value).replace(/^tel:/i, '').trim();
    return number === '' || number.length > maxNumberLength ? null : number;
  } catch {
    return null;
  }
}

/** A group, a dot and `TEL`. */
const maxNameLength = 100;
