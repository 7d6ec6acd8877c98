import type { DocumentSection } from '../../adapters/assistant-provider/assistant-provider.ts';
import type { ExtractedText } from './extraction.ts';
import { normaliseText } from './normalise-text.ts';

/** A heading, paragraph, list or table as a format's reader finds it. */
export interface TextBlock {
  page: number | null;
  isHeading: boolean;
  text: string;
}

const blockSeparator = '\n\n';
/** Characters. What is longer heads nothing, however it is marked. */
const longestHeading = 1000;

/**
 * Gathers blocks into sections. A section ends where a heading or a page begins; a page that begins without a heading
 * continues under the one before. A heading with nothing below it is kept as its own text.
 */
export function toExtractedText(blocks: Iterable<TextBlock>): ExtractedText {
  const sections: DocumentSection[] = [];
  let heading: string | null = null;
  let chars = 0;
  for (const { page, isHeading, text: raw } of blocks) {
    const text = normaliseText(raw);
    if (text === '') continue;
    chars += countCodePoints(text) + (chars === 0 ? 0 : blockSeparator.length);
    if (isHeading && text.length <= longestHeading) {
      heading = text.replaceAll(/\s+/g, ' ');
      sections.push({ page, heading, text: '' });
      continue;
    }
    const last = sections.at(-1);
    if (last === undefined || (last.page !== page && last.text !== ''))
      sections.push({ page, heading, text });
    else if (last.text === '') Object.assign(last, { page, text });
    else last.text += blockSeparator + text;
  }
  const withText = sections.map((section) => ({ ...section, text: section.text || (section.heading ?? '') }));
  return { sections: withText, chars };
}

/** Unicode code points, the unit of `chars` everywhere. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
