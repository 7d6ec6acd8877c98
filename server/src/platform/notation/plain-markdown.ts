import { fromMarkdown } from 'mdast-util-from-markdown';
import type { MarkStyle } from './notation.ts';

const word = /[\p{L}\p{N}]/u;
/** Scripts without spaces between words, in which marks within a sentence are not arithmetic. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;
const endOfOperand = /[\p{L}\p{N})\]}%€$£]/u;
const startOfOperand = /[\p{L}\p{N}([{€$£]/u;

export const endsOperand = (character: string): boolean =>
  endOfOperand.test(character) && !unspaced.test(character);
export const startsOperand = (character: string): boolean =>
  startOfOperand.test(character) && !unspaced.test(character);

export const isWordCharacter = (character: string): boolean => word.test(character);

/** Whether characters that Markdown takes for marks belong to arithmetic, a name in code or an emoticon. */
export function isLiteralMark(
  style: MarkStyle,
  span: string,
  { before, after }: { before: string; after: string },
): boolean {
  if (style === 'strike') return false;
  const marks = style === 'bold' ? 2 : 1;
  const inner = span.slice(marks, -marks);
  if (span.startsWith('__')) return /^[a-z\d_]+$/.test(inner);
  // Chats write italic text in the same way, so that a doubtful span can stay.
  if (span.startsWith('_')) return !word.test(inner) || (inner.includes('_') && !inner.includes('**'));
  if (style === 'italic') return !word.test(inner);
  // A part of a word may be bold. Powers have short operands.
  return endsOperand(before) && startsOperand(after) && !/^\p{L}{2,}$/u.test(inner);
}

/** Whether the marks stand between blanks after an operand, as in `x ** 2`. */
export const isPower = (span: string, before: string): boolean =>
  /^\*\*\s/.test(span) && /(?:\d|\)|(?:^|[^\p{L}])\p{L})\s?$/u.test(before.slice(-3));

/** Resolves the escapes and the entities of Markdown. */
export const readPlainText = (written: string): string =>
  written.replaceAll(
    /\\([!-/:-@[-`{-~])|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi,
    (match, escaped: string | undefined, at: number) => {
      if (escaped === undefined) return decodeEntity(match);
      // The shoulder of `¯\_(ツ)_/¯`, and the beginning of a path such as `\\server`.
      const isText = escaped === '\\' ? word.test(written.charAt(at + 2)) : written.charAt(at - 1) === '¯';
      return isText ? match : escaped;
    },
  );

function decodeEntity(entity: string): string {
  const [paragraph] = fromMarkdown(entity).children;
  const text = paragraph?.type === 'paragraph' ? paragraph.children[0] : undefined;
  return text?.type === 'text' ? text.value.replaceAll('\u00a0', ' ') : entity;
}

/** Returns the address that a contact can use, or null for others, such as those within a page. */
export function toAddress(url: string): string | null {
  const [, scheme, rest = ''] = /^([a-z][a-z\d+.-]{0,20}):(.*)$/is.exec(url.trim()) ?? [];
  switch (scheme?.toLowerCase()) {
    case 'http':
    case 'https':
    case 'ftp':
      return url.trim();
    case 'mailto':
    case 'tel':
      return decodeURIComponent(rest.split('?')[0] ?? '');
    default:
      return /^www\./i.test(url) ? url : null;
  }
}

export const sameAddress = (label: string, address: string): boolean => simplify(label) === simplify(address);

const simplify = (address: string): string =>
  address
    .trim()
    .toLowerCase()
    .replace(/^(?:https?:\/\/)?(?:www\.)?/, '')
    .replace(/\/$/, '');
