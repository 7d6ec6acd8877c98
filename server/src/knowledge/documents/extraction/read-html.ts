import { Parser } from 'htmlparser2';
import { micromark } from 'micromark';
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table';
import type { ExtractedText } from './extraction.ts';
import { HtmlMarkup } from './html-markup.ts';
import { decodeTextFile } from './read-txt.ts';
import { countCodePoints, type TextBlock, toExtractedText } from './sections.ts';

/** Browsers search as far for the encoding. */
const sniffedBytes = 1024;

export function readHtml(bytes: Uint8Array): ExtractedText {
  const beginning = Buffer.from(bytes.subarray(0, sniffedBytes)).toString('latin1');
  const declared = /<meta[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i.exec(beginning)?.[1];
  return toExtractedText(htmlBlocks([decodeTextFile(bytes, declared)]));
}

/** Reads Markdown as the page that it describes, because it may contain HTML. Counts the characters of the file as it is. */
export function readMarkdown(bytes: Uint8Array): ExtractedText {
  const text = decodeTextFile(bytes);
  const { sections } = toExtractedText(htmlBlocks(toPages(text.replace(frontMatter, ''))));
  return { sections, chars: sections.length === 0 ? 0 : countCodePoints(text) };
}

/** Properties for programs that publish the page. */
const frontMatter = /^\ufeff?---[ \t]*\r?\n(?:(?!---)[^\n]*\n){0,200}---[ \t]*(?:\r?\n|$)/;
/** The parser takes 500 times the memory of its text. */
const pieceLength = 64 * 1024;

/** Converts the text in pieces, which begin after a blank line outside of code. */
function* toPages(markdown: string): Generator<string> {
  let piece: string[] = [];
  let length = 0;
  let fence: string | null = null;
  let isAfterBlank = false;
  for (const line of markdown.split(/\r\n|[\r\n]/)) {
    if (length >= pieceLength && isAfterBlank && fence === null && /^\S/.test(line)) {
      yield toPage(piece.join('\n'));
      piece = [];
      length = 0;
    }
    const marks = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === null) fence = marks ?? null;
    else if (marks?.startsWith(fence) === true) fence = null;
    isAfterBlank = line.trim() === '';
    piece.push(line);
    length += line.length;
  }
  yield toPage(piece.join('\n'));
}

const toPage = (markdown: string): string =>
  micromark(markdown, {
    allowDangerousHtml: true,
    extensions: [gfmTable()],
    htmlExtensions: [gfmTableHtml()],
  });

function htmlBlocks(pages: Iterable<string>): Iterable<TextBlock> {
  const markup = new HtmlMarkup();
  const parser = new Parser(markup);
  for (const page of pages) parser.write(page);
  parser.end();
  return markup.takeBlocks();
}
