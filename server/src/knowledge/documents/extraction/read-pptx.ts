import { type ExtractedText, ExtractionError } from './extraction.ts';
import { type OfficePackage, ofType, openOfficePackage, type Relationship } from './office-package.ts';
import { type TextBlock, toExtractedText } from './sections.ts';
import { SlideMarkup } from './slide-markup.ts';
import { createCellCounter } from './table-rows.ts';

/** Reads the visible slides in their order, each with its speaker notes. The page is the number of the slide. */
export async function readPptx(bytes: Uint8Array, maxInflatedBytes: number): Promise<ExtractedText> {
  const file = await openOfficePackage('pptx', bytes, maxInflatedBytes);
  const ids: string[] = [];
  const found = await file.read(file.mainPart, {
    open(name, { id }) {
      if (name === 'sldId' && id !== undefined) ids.push(id);
    },
  });
  if (!found) throw new ExtractionError('unreadable', 'The document has no main part');
  const slides = ofType(await file.findRelated(file.mainPart), ['slide']);
  const partOf = new Map(slides.map(({ id, part }) => [id, part]));
  const count = createCellCounter();
  const blocks: TextBlock[] = [];
  for (const [index, id] of ids.entries()) {
    const part = partOf.get(id);
    if (part === undefined) continue;
    for (const block of await readSlide(file, part, count)) blocks.push({ ...block, page: index + 1 });
  }
  return toExtractedText(blocks);
}

async function readSlide(file: OfficePackage, part: string, count: () => void): Promise<TextBlock[]> {
  const slide = new SlideMarkup(count);
  await file.read(part, slide);
  if (slide.isHidden) return [];
  const related = await file.findRelated(part);
  const blocks = slide.takeBlocks();
  const diagrams = related.filter(({ id }) => slide.diagrams.includes(id));
  for (const markup of [...diagrams, ...ofType(related, ['notesSlide'])])
    blocks.push(...(await readPart(file, markup, count)));
  return blocks;
}

async function readPart(
  file: OfficePackage,
  { part, type }: Relationship,
  count: () => void,
): Promise<TextBlock[]> {
  const markup = new SlideMarkup(count, type === 'notesSlide' ? ['body'] : undefined);
  await file.read(part, markup);
  return markup.takeBlocks();
}
