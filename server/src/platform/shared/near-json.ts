import { jsonrepair } from 'jsonrepair';

/** `context` holds the source text of a number, because `value` may have lost digits. */
type Reviver = (name: string, value: unknown, context?: { source?: string }) => unknown;

const maxEncodings = 3;

/**
 * Parses JSON as language models write it: encoded twice, in a fence, with raw line breaks, trailing commas or single quotes,
 * or without closing brackets. Returns undefined for other text, and for text that may be cut off inside a value, because the
 * rest of the value would be a guess.
 */
export function parseNearJson(text: string, reviver: Reviver = (_, value) => value): unknown {
  let value = parseOrRepair(text, reviver);
  for (let encodings = 1; encodings < maxEncodings && typeof value === 'string'; encodings += 1) {
    const inner = parseOrRepair(value, reviver);
    if (inner === undefined) break;
    value = inner;
  }
  return value;
}

function parseOrRepair(text: string, reviver: Reviver): unknown {
  const [, fenced] = /^```\w*\s([\s\S]*?)```$/.exec(text.trim()) ?? [];
  const written = (fenced ?? text).trim();
  const parsed = tryParse(written, reviver);
  if (parsed !== undefined) return parsed;
  if (/^[{[]\s*\\"/.test(written)) return tryParse(`"${written}"`, reviver);
  const ending = findMissingEnding(written);
  if (ending === null) return undefined;
  const completed = tryParse(written + ending, reviver);
  if (completed !== undefined) return completed;
  try {
    return tryParse(jsonrepair(withValidEscapes(written) + ending), reviver);
  } catch {
    return undefined;
  }
}

function tryParse(text: string, reviver: Reviver): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch {
    return undefined;
  }
}

/** Returns the closing brackets that the text lacks, or null if it may end inside a value. */
function findMissingEnding(text: string): string | null {
  const missing: string[] = [];
  let quote: string | null = null;
  /** The last character that neither belongs to a string nor is a space. */
  let outside = '';
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (quote !== null) {
      if (character === '\\') index += 1;
      else if (character === quote) quote = null;
      continue;
    }
    if (character.trim() === '') continue;
    if (character === '"' || character === "'") {
      quote = character;
      continue;
    }
    outside = character;
    if (character === '{') missing.push('}');
    else if (character === '[') missing.push(']');
    else if (character === '}' || character === ']') missing.pop();
  }
  if (quote !== null) return null;
  if (missing.length === 0) return '';
  const isName = missing.at(-1) === '}' && (outside === '{' || outside === ',') && /["']$/.test(text);
  return !isName && /(?:["'}\]]|\b(?:true|false|null))$/.test(text) ? missing.reverse().join('') : null;
}

/** Writes control characters as escapes, and doubles a backslash that escapes nothing, as in a path of Windows. */
const withValidEscapes = (text: string): string =>
  text
    .replaceAll(/\\([\s\S])/g, (written, escaped: string) =>
      `"'\\/bfnrtu`.includes(escaped) ? written : `\\${written}`,
    )
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for them
    .replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f]/g, (control) => JSON.stringify(control).slice(1, -1));
