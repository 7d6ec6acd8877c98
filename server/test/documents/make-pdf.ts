import { PDFDocument, StandardFonts } from 'pdf-lib';

export interface PdfText {
  text: string;
  /** Points; 11 by default. */
  size?: number;
  /** From the left and bottom edges of an A4 page. */
  x: number;
  y: number;
}

/** Returns a PDF with these lines of text per page. */
export async function makePdf(pages: readonly (readonly PdfText[])[]): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const lines of pages) {
    const page = document.addPage([595, 842]);
    for (const { text, x, y, size = 11 } of lines) page.drawText(text, { x, y, size, font });
  }
  return document.save();
}

/** Returns consecutive lines from the top of a page. */
export function textLines(lines: readonly string[], top = 780): PdfText[] {
  return lines.map((text, index) => ({ text, x: 72, y: top - index * 15 }));
}

/** Returns a small PDF that takes years to read: each form draws the next one twice, `depth` levels deep. */
export function makeEndlessPdf(depth = 40): Buffer {
  const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Resources << /XObject << /X 6 0 R >> >> >>',
    font,
    streamObject('', '/X Do'),
  ];
  for (let level = 0; level < depth; level += 1) {
    const next = objects.length + 2;
    const form = '/Type /XObject /Subtype /Form /BBox [0 0 595 842]';
    objects.push(streamObject(`${form} /Resources << /XObject << /X ${next} 0 R >> >>`, '/X Do /X Do'));
  }
  const leaf = '/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /Font << /F 4 0 R >> >>';
  objects.push(streamObject(leaf, 'BT /F 9 Tf (a) Tj ET'));
  return assemblePdf(objects);
}

/** Returns a PDF whose page unpacks to megabytes of blanks. `content` is a zlib stream, compressed twice. */
export function makeSwellingPdf(content: Buffer): Buffer {
  return assemblePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>',
    streamObject('/Filter [/FlateDecode /FlateDecode]', content.toString('latin1')),
  ]);
}

/** What a hand-written PDF of one page consists of, in the syntax of PDF. The first object is number 6. */
export interface PdfParts {
  content: string;
  /** Entries of the page, such as `/Annots [6 0 R]`. */
  page?: string;
  catalog?: string;
  trailer?: string;
  /** Of the font `F`. Default: Helvetica. */
  font?: string;
  objects?: readonly string[];
}

export function assemblePage({
  content,
  page = '',
  catalog = '',
  trailer = '',
  font,
  objects = [],
}: PdfParts): Buffer {
  return assemblePdf(
    [
      `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> ${page} >>`,
      streamObject('', content),
      `<< /Type /Font ${font ?? '/Subtype /Type1 /BaseFont /Helvetica'} >>`,
      ...objects,
    ],
    trailer,
  );
}

/** Returns a PDF with three Japanese characters, whose font and character codes are data files of the reader. */
export const makeJapanesePdf = (): Buffer =>
  assemblePage({
    content: 'BT /F 12 Tf 72 700 Td <93fa967b8cea> Tj ET',
    font: '/Subtype /Type0 /BaseFont /Ryumin-Light /Encoding /90ms-RKSJ-H /DescendantFonts [6 0 R]',
    objects: [
      '<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Ryumin-Light /CIDSystemInfo << /Registry (Adobe) ' +
        '/Ordering (Japan1) /Supplement 2 >> /FontDescriptor 7 0 R >>',
      '<< /Type /FontDescriptor /FontName /Ryumin-Light /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 ' +
        '/Descent -200 /CapHeight 700 /StemV 80 >>',
    ],
  });

export function streamObject(entries: string, content: string): string {
  return `<< ${entries} /Length ${content.length} >>\nstream\n${content}\nendstream`;
}

function assemblePdf(objects: readonly string[], trailer = ''): Buffer {
  let file = '%PDF-1.7\n';
  const offsets: number[] = [];
  for (const [index, object] of objects.entries()) {
    offsets.push(file.length);
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  file += `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\n`;
  return Buffer.from(`${file}startxref\n${file.indexOf('xref\n0 ')}\n%%EOF\n`, 'latin1');
}
