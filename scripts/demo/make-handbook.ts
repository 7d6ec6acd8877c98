/** Writes `documents/handbook.pdf`, which the demo uploads. The file is the same on every run. */
import { writeFile } from 'node:fs/promises';
import { PDFDocument, type PDFFont, type PDFPage, rgb, StandardFonts } from 'pdf-lib';
import { handbook, handbookTitle } from './handbook-text.ts';

/** A4, in points. */
const pageWidth = 595;
const pageHeight = 842;
const margin = 72;
const bodySize = 11;
const headingSize = 15;
const titleSize = 24;
const leading = 1.4;
const ink = rgb(0.1, 0.1, 0.15);
const madeAt = new Date('2026-01-05T09:00:00Z');

interface Cursor {
  page: PDFPage;
  y: number;
}

async function makeHandbook(): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  document.setTitle(handbookTitle);
  document.setAuthor('Lumen Bikes');
  document.setCreationDate(madeAt);
  document.setModificationDate(madeAt);
  const regular = await document.embedFont(StandardFonts.Helvetica);
  const bold = await document.embedFont(StandardFonts.HelveticaBold);

  const cursor = { page: document.addPage([pageWidth, pageHeight]), y: pageHeight - margin };
  write(document, cursor, handbookTitle, bold, titleSize);
  for (const { heading, paragraphs } of handbook) {
    // Keep a heading on the page of its first lines.
    ensureRoom(document, cursor, headingSize * 2 + bodySize * leading * 4);
    cursor.y -= headingSize;
    write(document, cursor, heading, bold, headingSize);
    for (const paragraph of paragraphs) {
      cursor.y -= bodySize * 0.7;
      write(document, cursor, paragraph, regular, bodySize);
    }
  }
  numberPages(document, regular);
  return document.save();
}

function write(document: PDFDocument, cursor: Cursor, text: string, font: PDFFont, size: number): void {
  for (const line of wrap(text, font, size)) {
    ensureRoom(document, cursor, size * leading);
    cursor.y -= size * leading;
    cursor.page.drawText(line, { x: margin, y: cursor.y, size, font, color: ink });
  }
}

function ensureRoom(document: PDFDocument, cursor: Cursor, height: number): void {
  if (cursor.y - height >= margin) return;
  cursor.page = document.addPage([pageWidth, pageHeight]);
  cursor.y = pageHeight - margin;
}

function wrap(text: string, font: PDFFont, size: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (font.widthOfTextAtSize(longer, size) <= pageWidth - 2 * margin) {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
  }
  return [...lines, line];
}

function numberPages(document: PDFDocument, font: PDFFont): void {
  const pages = document.getPages();
  for (const [index, page] of pages.entries()) {
    const text = `${handbookTitle}, page ${index + 1} of ${pages.length}`;
    page.drawText(text, { x: margin, y: margin / 2, size: 9, font, color: ink });
  }
}

await writeFile(new URL('./documents/handbook.pdf', import.meta.url), await makeHandbook());
