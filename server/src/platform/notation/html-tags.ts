import type { MarkStyle } from './notation.ts';

export interface HtmlTag {
  name: string;
  closes: boolean;
  href: string | null;
}

/** Reads a tag of HTML that models use to format a text. Returns null for other tags, which may be placeholders. */
export function readHtmlTag(text: string): HtmlTag | null {
  const [, slash, written = ''] = /^<(\/?)([a-z][a-z\d]{0,9})(?=[\s/>])/i.exec(text) ?? [];
  const name = written.toLowerCase();
  if (!(name in writings)) return null;
  const href = /\shref\s?=\s?["']([^"'>]{1,2000})["']/i.exec(text)?.[1] ?? null;
  return { name, closes: slash === '/', href };
}

/** Returns the plain text that stands for a tag, or null if the tag is text, such as a placeholder in `source`. */
export function writeHtmlTag(text: string, source: string): string | null {
  if (text.startsWith('<!--')) return '';
  const tag = readHtmlTag(text);
  if (tag === null) return null;
  const partner = tag.closes ? `<${tag.name}` : `</${tag.name}`;
  if (!alone.has(tag.name) && !source.toLowerCase().includes(partner)) return null;
  const [opening, closing] = writings[tag.name] ?? ['', ''];
  return tag.closes ? closing : opening;
}

/** Models leave out the closing tags of these. */
const alone = new Set(['br', 'hr', 'p', 'li', 'tr', 'td', 'th']);

export const htmlStyles: Readonly<Record<string, MarkStyle>> = {
  ...{ b: 'bold', strong: 'bold', i: 'italic', em: 'italic', s: 'strike', del: 'strike', strike: 'strike' },
  ...{ h1: 'bold', h2: 'bold', h3: 'bold', h4: 'bold', h5: 'bold', h6: 'bold' },
};

const unseen: [string, string] = ['', ''];
const line: [string, string] = ['', '\n'];

const writings: Readonly<Record<string, [opening: string, closing: string]>> = {
  ...{ b: unseen, strong: unseen, i: unseen, em: unseen, s: unseen, del: unseen, strike: unseen, u: unseen },
  ...{ a: unseen, span: unseen, font: unseen, small: unseen, big: unseen, mark: unseen, center: unseen },
  ...{ h1: line, h2: line, h3: line, h4: line, h5: line, h6: line, p: line, div: line, tr: line, ul: line },
  ...{ ol: line, table: unseen, tbody: unseen, thead: unseen, details: unseen, summary: line },
  ...{ br: ['\n', '\n'], hr: unseen, li: ['\n- ', ''], td: unseen, th: unseen, sup: unseen, sub: unseen },
};
