import { DocxMarkup } from './docx-markup.ts';
import { createDocxStyles, type DocxStyles } from './docx-styles.ts';
import { type ExtractedText, ExtractionError } from './extraction.ts';
import { type OfficePackage, ofType, openOfficePackage, type Relationship } from './office-package.ts';
import { type TextBlock, toExtractedText } from './sections.ts';

/** Reads each part while it is unpacked, because a part of a hundred kilobytes may hold megabytes of XML. */
export async function readDocx(bytes: Uint8Array, maxInflatedBytes: number): Promise<ExtractedText> {
  const docx = await openOfficePackage('docx', bytes, maxInflatedBytes);
  const related = await docx.findRelated(docx.mainPart);
  const styles = createDocxStyles();
  for (const { part } of ofType(related, ['styles'])) await docx.read(part, styles.handler);

  const margins = await readMargins(docx, related, styles);
  const body = new DocxMarkup(styles);
  if (!(await docx.read(docx.mainPart, body)))
    throw new ExtractionError('unreadable', 'The document has no main part');
  const blocks = [...margins, ...body.takeBlocks()];
  for (const id of body.diagrams) {
    const diagram = new DocxMarkup(styles);
    for (const { part } of related.filter((relationship) => relationship.id === id))
      await docx.read(part, diagram);
    blocks.push(...diagram.takeBlocks());
  }
  blocks.push(...(await readNotes(docx, related, styles, body.notes)));
  return toExtractedText(blocks);
}

/** Returns headers and footers first, because they belong to no heading. Sections often repeat them. */
async function readMargins(
  docx: OfficePackage,
  related: readonly Relationship[],
  styles: DocxStyles,
): Promise<TextBlock[]> {
  const margins = new Map<string, TextBlock>();
  for (const { part } of ofType(related, ['header', 'footer'])) {
    const markup = new DocxMarkup(styles);
    await docx.read(part, markup);
    for (const { text } of markup.takeBlocks()) {
      if (/\p{L}/u.test(text)) margins.set(text, { page: null, isHeading: false, text });
    }
  }
  return [...margins.values()];
}

async function readNotes(
  docx: OfficePackage,
  related: readonly Relationship[],
  styles: DocxStyles,
  references: ReadonlySet<string>,
): Promise<TextBlock[]> {
  const notes = new Map<string, TextBlock[]>();
  for (const { part } of ofType(related, ['footnotes', 'endnotes'])) {
    await docx.read(part, new DocxMarkup(styles, (id, blocks) => notes.set(id, blocks)));
  }
  return [...references].flatMap((id) => notes.get(id) ?? []);
}
