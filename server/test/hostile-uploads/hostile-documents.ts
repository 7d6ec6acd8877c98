import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { docxParagraph, makeDocx } from '../documents/make-docx.ts';
import { makeEndlessPdf, makeSwellingPdf } from '../documents/make-pdf.ts';
import { makeXlsx, sheetRow } from '../documents/make-xlsx.ts';
import { bombPart, honestPart, makeZip } from '../documents/make-zip.ts';

export interface HostileDocument {
  title: string;
  name: string;
  bytes: Uint8Array;
  /** `details.reason` of the refusal; null if the document is accepted. */
  reason: string | null;
}

const fixture = (name: string) => readFileSync(new URL(`../fixtures/documents/${name}`, import.meta.url));

/** Creates nested archives. The innermost ones unpack to gigabytes. */
function nestedBombs(depth: number): Buffer {
  let inner = makeZip([bombPart('document.xml', 1024)]);
  for (let level = 0; level < depth; level += 1) {
    inner = makeZip(Array.from({ length: 8 }, (_, n) => honestPart(`${n}.zip`, inner)));
  }
  return inner;
}

const emptyPart = honestPart('', '');
const entities = Array.from({ length: 12 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`);

const documents: [title: string, name: string, bytes: () => Uint8Array, reason: string | null][] = [
  ['an archive that unpacks to 2 GiB', 'a.docx', () => bombDocx(2048), 'text_too_large'],
  ['an archive that declares a small size', 'a.docx', () => bombDocx(2048, 1000), 'text_too_large'],
  [
    'nested archives',
    'a.docx',
    () => makeDocx(docxParagraph('Hello'), [honestPart('word/embeddings/a.zip', nestedBombs(2))]),
    null,
  ],
  [
    '60,000 parts',
    'a.docx',
    () =>
      makeDocx(
        '',
        Array.from({ length: 60_000 }, (_, n) => ({ ...emptyPart, name: `word/${n}.xml` })),
      ),
    'text_too_large',
  ],
  [
    'nested entities',
    'a.docx',
    () => makeDocx(`<!DOCTYPE w [<!ENTITY e0 "ha">${entities.join('')}]>&e12;`),
    'unreadable',
  ],
  ['100,000 nested tags', 'a.docx', () => makeDocx('<w:p>'.repeat(100_000)), 'unreadable'],
  ['1,250,000 paragraphs', 'a.docx', () => makeDocx(docxParagraph('Hi').repeat(1_250_000)), 'text_too_large'],
  [
    'a workbook of 1,100,000 cells',
    'a.xlsx',
    () => makeSheet(sheetRow(1, 2).repeat(550_000)),
    'text_too_large',
  ],
  [
    'a text of 30 KB in each of 900,000 cells',
    'a.xlsx',
    () => makeSheet('<row><c t="s"><v>0</v></c></row>'.repeat(900_000), 'word '.repeat(6000)),
    'text_too_large',
  ],
  [
    '200,000 nested quotations in Markdown',
    'a.md',
    () => Buffer.from(`${'>'.repeat(200_000)} a`),
    'text_timeout',
  ],
  ['a CSV row of 5,000,000 cells', 'a.csv', () => Buffer.from('a,'.repeat(5_000_000)), 'text_too_large'],
  ['an endless PDF', 'a.pdf', () => makeEndlessPdf(), 'text_timeout'],
  [
    'a PDF with a compression bomb',
    'a.pdf',
    () => makeSwellingPdf(deflateSync(zlibStream(bombPart('', 1024).deflated))),
    'text_too_large',
  ],
  ['an encrypted PDF', 'a.pdf', () => fixture('encrypted.pdf'), 'encrypted'],
  ['half a PDF', 'a.pdf', () => fixture('encrypted.pdf').subarray(0, 9000), 'unreadable'],
  ['a GIF named as a PDF', 'a.pdf', () => Buffer.from('GIF89a, and some text'), 'type_mismatch'],
  ['half a DOC file', 'a.doc', () => fixture('letter.doc').subarray(0, 6000), 'unknown_type'],
];

/** Wraps a raw deflate stream. PDF readers ignore its checksum. */
const zlibStream = (raw: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([0x78, 0x01]), raw, Buffer.alloc(4)]);

const makeSheet = (rows: string, text = ''): Buffer =>
  makeXlsx({ sheet: `<sheetData>${rows}</sheetData>`, sharedStrings: `<si><t>${text}</t></si>` });

const bombDocx = (megabytes: number, declaredBytes?: number): Buffer =>
  makeDocx('', [bombPart('word/extra.xml', megabytes, declaredBytes)]);

/** Creates the documents on each call, because some are several megabytes long. */
export const hostileDocuments = (): HostileDocument[] =>
  documents.map(([title, name, bytes, reason]) => ({ title, name, bytes: bytes(), reason }));
