import ICAL from 'ical.js';

/** Cards with a photo are larger. Their numbers come before it. */
const maxCardLength = 65_536;
const maxNumbers = 20;
const maxNumberLength = 40;

/** Returns the phone numbers in a contact's card. Ignores lines that are not valid. */
export function readNumbers(card: string): string[] {
  const unfolded = card.slice(0, maxCardLength).replaceAll(/\r?\n[ \t]/g, '');
  const numbers = unfolded.split(/\r?\n/).flatMap((line) => readNumber(line) ?? []);
  return numbers.slice(0, maxNumbers);
}

function readNumber(line: string): string | null {
  const [name = ''] = line.slice(0, maxNameLength).split(/[;:]/, 1);
  if (name.split('.').at(-1)?.toUpperCase() !== 'TEL') return null;
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
