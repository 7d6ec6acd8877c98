import { decodeText, detectTextEncoding } from '../text-encoding.ts';
import type { ExtractedText } from './extraction.ts';
import { plainTextBlocks } from './plain-text-blocks.ts';
import { type TextBlock, toExtractedText } from './sections.ts';
import { openWordFiles, type StoryName, type WordFile } from './word-file.ts';
import { createStoryReader, headingMark, toPlainText } from './word-text.ts';

/** Headers and footers come first, because they belong to no heading. */
const margins: readonly StoryName[] = ['margins', 'marginTextBoxes'];
const others: readonly StoryName[] = ['body', 'textBoxes', 'footnotes', 'endnotes'];

/** Reads documents of Word 2 to 2003, and the Word documents that are embedded in them. */
export async function readDoc(bytes: Uint8Array): Promise<ExtractedText> {
  return toExtractedText(openWordFiles(bytes).flatMap(readBlocks));
}

function readBlocks(file: WordFile): TextBlock[] {
  const readStory = createStoryReader(file);
  const read = (name: StoryName): string => toPlainText(readStory(name));
  const texts = { margins: margins.map(read), others: others.map(read) };
  const decode = file.isUnicode
    ? (text: string): string => text
    : createDecoder(Object.values(texts).flat().join('\n'));
  return [
    ...marginBlocks(texts.margins.map(decode)),
    ...texts.others.flatMap((text) => [...bodyBlocks(decode(text))]),
  ];
}

/** Finds the encoding of all texts together, because a single one may be short. */
function createDecoder(sample: string): (text: string) => string {
  const encoding = detectTextEncoding(Buffer.from(sample, 'latin1')) ?? 'windows-1252';
  return (text) => decodeText(Buffer.from(text, 'latin1'), encoding);
}

/** Sections often repeat their margins. */
function marginBlocks(texts: readonly string[]): TextBlock[] {
  const lines = texts.flatMap((text) => text.replaceAll(headingMark, '').split('\n'));
  const distinct = new Set(lines.map((line) => line.trim()).filter((line) => /\p{L}/u.test(line)));
  return [...distinct].map((text) => ({ page: null, isHeading: false, text }));
}

function* bodyBlocks(text: string): Iterable<TextBlock> {
  for (const [index, part] of text.split(headingMark).entries()) {
    const end = index === 0 ? 0 : part.indexOf('\n\n');
    if (end !== 0) yield { page: null, isHeading: true, text: end === -1 ? part : part.slice(0, end) };
    if (end !== -1) yield* plainTextBlocks(part.slice(end));
  }
}
