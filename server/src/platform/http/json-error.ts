const whitespace = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids control characters in strings
const text = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[^"\\\u0000-\u001f]*)*"/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null/y;

/** Returns the position of the first token that makes `json` invalid (its length if the end is missing), or null. */
export function findJsonError(json: string): number | null {
  const closings: string[] = [];
  let expected: 'value' | 'key' | ':' | ',' = 'value';
  let mayClose = false;
  let at = 0;
  for (;;) {
    at = match(whitespace, json, at) ?? at;
    const char = json[at];
    const isWhole = expected === ',' && closings.length === 0;
    if (char === undefined || isWhole) return isWhole && char === undefined ? null : at;
    let end: number | null = at + 1;
    if (mayClose && char === closings.at(-1)) {
      closings.pop();
      expected = ',';
    } else if (expected === ':' || expected === ',') {
      if (char !== expected) return at;
      expected = char === ',' && closings.at(-1) === '}' ? 'key' : 'value';
      mayClose = false;
      at = end;
      continue;
    } else if (expected === 'value' && (char === '{' || char === '[')) {
      closings.push(char === '{' ? '}' : ']');
      expected = char === '{' ? 'key' : 'value';
    } else {
      end = match(text, json, at) ?? (expected === 'value' ? match(scalar, json, at) : null);
      if (end === null) return at;
      expected = expected === 'key' ? ':' : ',';
    }
    mayClose = expected !== ':';
    at = end;
  }
}

/** Returns the end of the match that begins at `start`. */
function match(pattern: RegExp, json: string, start: number): number | null {
  pattern.lastIndex = start;
  return pattern.test(json) ? pattern.lastIndex : null;
}

/** Returns line and column of a position, both from 1. */
export function toLineAndColumn(json: string, position: number): { line: number; column: number } {
  const before = json.slice(0, position);
  return { line: before.split('\n').length, column: position - before.lastIndexOf('\n') };
}
