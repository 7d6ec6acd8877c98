import { AnnotationMode, OPS, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** Kerning that separates words, in thousandths of the size of the font. */
const wordKerning = -200;

const newLine = new Set<number>([
  OPS.beginText,
  OPS.moveText,
  OPS.setLeadingMoveText,
  OPS.setTextMatrix,
  OPS.nextLine,
]);
const showsText = new Set<number>([
  OPS.showText,
  OPS.showSpacedText,
  OPS.nextLineShowText,
  OPS.nextLineSetSpacingShowText,
]);

/** Returns the text that the annotations of a page draw, by their ids. Costs about as much as reading the page. */
export async function readAppearances(page: PDFPageProxy): Promise<Map<string, string>> {
  const { fnArray, argsArray } = await page.getOperatorList({ annotationMode: AnnotationMode.ENABLE });
  const texts = new Map<string, string>();
  let id: string | null = null;
  for (const [index, operator] of fnArray.entries()) {
    const args = argsArray[index] as unknown[] | null; // pdf.js has no type for them
    if (operator === OPS.beginAnnotation) id = String(args?.[0]);
    else if (operator === OPS.endAnnotation) id = null;
    if (id === null) continue;
    if (newLine.has(operator)) texts.set(id, `${texts.get(id) ?? ''}\n`);
    if (showsText.has(operator)) texts.set(id, (texts.get(id) ?? '') + glyphText(args?.[0]));
  }
  return new Map([...texts].map(([key, text]) => [key, text.trim()]));
}

function glyphText(glyphs: unknown): string {
  if (!Array.isArray(glyphs)) return '';
  return glyphs
    .map((glyph: unknown) => {
      if (typeof glyph === 'number') return glyph < wordKerning ? ' ' : '';
      const isGlyph = typeof glyph === 'object' && glyph !== null && 'unicode' in glyph;
      return isGlyph && typeof glyph.unicode === 'string' ? glyph.unicode : '';
    })
    .join('');
}
