import type { DocumentSection } from '../../assistant-provider/assistant-provider.ts';
import type { ExtractedText } from './extraction.ts';

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

/** Ligatures and Arabic letters in the shape of their place in a word. */
const presentationForms = /[\ufb00-\ufb06\ufb13-\ufb17\ufb1d-\ufdff\ufe70-\ufefc]+/gu;
const invisible = /[\u00ad\u200b\u2060\ufeff]/gu;

/** Matches only text that needs a change. Otherwise 20 MiB of text would take hundreds of megabytes. */
export function normalizeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(presentationForms, (forms) => forms.normalize('NFKC'))
    .replaceAll(/\r\n?|\v|\u0085|\u2028/gu, '\n')
    .replaceAll(/\f|\u2029/gu, '\n\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .replaceAll(invisible, '')
    .replaceAll(/[\t\p{Zs}]{2,}|[[\t\p{Zs}]--[ ]]/gv, ' ')
    .replaceAll(/ \n ?|\n /g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
    .normalize('NFC');
}
