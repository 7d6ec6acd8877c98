/** Whether a cut at `index` would halve a character beyond the BMP, which takes two UTF-16 units. */
const isInsideCharacter = (text: string, index: number): boolean =>
  /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, index - 1), index + 1));

/** Returns the beginning of whole characters with at most `maxLength` UTF-16 units. */
export const takeStart = (text: string, maxLength: number): string =>
  text.length <= maxLength
    ? text
    : text.slice(0, isInsideCharacter(text, maxLength) ? maxLength - 1 : maxLength);

/** Returns the end of whole characters with at most `maxLength` UTF-16 units. */
export function takeEnd(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const start = text.length - maxLength;
  return text.slice(isInsideCharacter(text, start) ? start + 1 : start);
}

/** Splits a text into parts of at most `maxLength` UTF-16 units, between lines or words if it can. */
export function splitText(text: string, maxLength: number): string[] {
  if (text.length <= maxLength) return [text];
  const start = takeStart(text, maxLength);
  const gap = Math.max(start.lastIndexOf('\n'), start.lastIndexOf(' '));
  const end = gap > maxLength / 2 ? gap + 1 : start.length;
  return [text.slice(0, end), ...splitText(text.slice(end), maxLength)].filter((part) => part.trim() !== '');
}
