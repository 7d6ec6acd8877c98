import type { DocumentSection } from '../../assistant-provider/assistant-provider.ts';
import type { ExtractedText } from './extraction.ts';
import { normalizeText } from './normalize-text.ts';

/** A heading, paragraph, list or table. */
export interface TextBlock {
  page: number | null;
  isHeading: boolean;
  text: string;
}

const blockSeparator = '\n\n';
/** A longer text is not a heading, even if it is marked as one. */
const maxHeadingLength = 1000;

/** A page without a heading continues the previous section's heading. A heading without text becomes text itself. */
export function toExtractedText(blocks: Iterable<TextBlock>): ExtractedText {
  const sections: DocumentSection[] = [];
  let heading: string | null = null;
  let chars = 0;
  for (const { page, isHeading, text: raw } of blocks) {
    const text = normalizeText(raw);
    if (text === '') continue;
    chars += countCodePoints(text) + (chars === 0 ? 0 : blockSeparator.length);
    if (isHeading && text.length <= maxHeadingLength) {
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

export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
