import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { makeCompoundFile, oldWordStream } from '../../../test/documents/make-doc.ts';
import { docxParagraph, makeDocx } from '../../../test/documents/make-docx.ts';
import { makePdf, textLines } from '../../../test/documents/make-pdf.ts';
import { bombPart, honestPart, makeZip } from '../../../test/documents/make-zip.ts';
import { detectDocumentType } from './document-type.ts';

const fixture = (name: string): Promise<Buffer> =>
  readFile(new URL(`../../../test/fixtures/documents/${name}`, import.meta.url));
const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');

describe('the type of a document', () => {
  it('is that of the extension for texts, and of the main part for Office files', async () => {
    for (const type of ['txt', 'md', 'html', 'csv'] as const) {
      assert.deepEqual(await detectDocumentType(Buffer.from('<p>Hello</p>'), `a.${type}`), {
        ok: true,
        type,
      });
      const refused = await detectDocumentType(png, `a.${type}`);
      assert.deepEqual(refused, { ok: false, reason: 'unknown_type' }, type);
    }
    const sheet = await fixture('harbour.xlsx');
    const slides = await fixture('tours.pptx');
    assert.deepEqual(await detectDocumentType(sheet, 'a.XLSX'), { ok: true, type: 'xlsx' });
    assert.deepEqual(await detectDocumentType(slides, 'a.pptx'), { ok: true, type: 'pptx' });
    const mismatch = { ok: false, reason: 'type_mismatch' };
    for (const name of ['a.docx', 'a.pptx', 'a.csv', 'a.xlsm', 'a.xls'])
      assert.deepEqual(await detectDocumentType(sheet, name), mismatch, name);
    for (const name of ['a.json', 'a.xml', 'a.htm', 'a.xlsx'])
      assert.deepEqual(await detectDocumentType(Buffer.from('Hello'), name), mismatch, name);
  });

  it('is that of the extension for encrypted Office files, whose content does not show it', async () => {
    const encrypted = makeCompoundFile([{ name: 'EncryptedPackage', content: Buffer.alloc(10) }]);
    for (const type of ['docx', 'xlsx', 'pptx'] as const)
      assert.deepEqual(await detectDocumentType(encrypted, `a.${type}`), { ok: true, type });
    assert.deepEqual(await detectDocumentType(encrypted, 'a.doc'), { ok: false, reason: 'type_mismatch' });
  });

  it('is detected by content for each of the four types', async () => {
    const pdf = await makePdf([textLines(['Hello'])]);
    assert.deepEqual(await detectDocumentType(pdf, 'a.pdf'), { ok: true, type: 'pdf' });
    assert.deepEqual(await detectDocumentType(makeDocx(docxParagraph('Hi')), 'a.docx'), {
      ok: true,
      type: 'docx',
    });
    assert.deepEqual(await detectDocumentType(await fixture('letter.docx'), 'a.DOCX'), {
      ok: true,
      type: 'docx',
    });
    assert.deepEqual(await detectDocumentType(await fixture('letter.doc'), 'a.doc'), {
      ok: true,
      type: 'doc',
    });
    assert.deepEqual(await detectDocumentType(Buffer.from('Hello'), 'a.txt'), { ok: true, type: 'txt' });
  });

  it('must match the extension', async () => {
    const pdf = await makePdf([textLines(['Hello'])]);
    const mismatch = { ok: false, reason: 'type_mismatch' };
    for (const name of ['a.txt', 'a.docx', 'a', 'pdf', '.pdf', 'a.pdf.exe', 'a.pdf.']) {
      assert.deepEqual(await detectDocumentType(pdf, name), mismatch, name);
    }
    assert.deepEqual(await detectDocumentType(await fixture('letter.docx'), 'a.doc'), mismatch);
    assert.deepEqual(await detectDocumentType(await fixture('letter.doc'), 'a.docx'), mismatch);
    assert.deepEqual(await detectDocumentType(Buffer.from('Hello'), 'a.pdf'), mismatch);
  });

  it('is not detected for an empty file', async () => {
    assert.deepEqual(await detectDocumentType(new Uint8Array(), 'a.txt'), {
      ok: false,
      reason: 'empty_file',
    });
  });

  it('is unknown for other content, regardless of its name', async () => {
    const letter = await fixture('letter.doc');
    const spreadsheet = Buffer.from(
      letter.toString('latin1').replace(utf16('WordDocument'), utf16('Workbook\0\0\0\0')),
      'latin1',
    );
    const zip = makeZip([honestPart('word/notes.txt', 'Hello')]);
    const rtf = Buffer.from('{\\rtf1\\ansi Hello}');
    const headOfCompoundFile = letter.subarray(0, 100);
    for (const [index, bytes] of [
      png,
      spreadsheet,
      zip,
      rtf,
      headOfCompoundFile,
      gzipSync('Hello'),
    ].entries()) {
      for (const name of ['a.pdf', 'a.txt', 'a.docx', 'a.doc']) {
        const result = await detectDocumentType(bytes, name);
        assert.deepEqual(result, { ok: false, reason: 'unknown_type' }, `${name}, sample ${index}`);
      }
    }
  });

  it('is docx even if its parts follow a large one in an unusual order', async () => {
    const docx = makeZip([
      bombPart('word/media/image1.bmp', 3),
      honestPart('word/document.xml', '<w:document/>'),
      honestPart('[Content_Types].xml', '<Types/>'),
    ]);
    assert.deepEqual(await detectDocumentType(docx, 'a.docx'), { ok: true, type: 'docx' });
  });

  it('is docx for a renamed template, an encrypted document and an archive within foreign bytes', async () => {
    const template = 'application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml';
    const types = `<Types><Override PartName="/word/document.xml" ContentType="${template}"/></Types>`;
    const parts = [
      honestPart('[Content_Types].xml', types),
      honestPart('word/document.xml', '<w:document/>'),
    ];
    const docx = makeDocx(docxParagraph('Hi'));
    const foreign = Buffer.from('\0--boundary\r\n');
    const stub = { name: 'WordDocument', content: Buffer.alloc(10) };
    const encrypted = makeCompoundFile([stub, { name: 'EncryptedPackage', content: Buffer.alloc(10) }]);
    for (const bytes of [makeZip(parts), encrypted, Buffer.concat([foreign, docx, foreign])]) {
      assert.deepEqual(await detectDocumentType(bytes, 'a.docx'), { ok: true, type: 'docx' });
    }
  });

  it('is docx for any name of the main part', async () => {
    const renamed = makeDocx(docxParagraph('Hi'))
      .toString('latin1')
      .replaceAll('/document.xml', '/documen2.xml');
    assert.deepEqual(await detectDocumentType(Buffer.from(renamed, 'latin1'), 'a.docx'), {
      ok: true,
      type: 'docx',
    });
  });

  it('is doc for streams named in any case, a document that embeds an archive, and Word 2', async () => {
    const content = Buffer.concat([Buffer.alloc(10), makeDocx(docxParagraph('Hi'))]);
    for (const name of ['WordDocument', 'WORDDOCUMENT', 'worddocument']) {
      const file = makeCompoundFile([{ name, content }]);
      assert.deepEqual(await detectDocumentType(file, 'a.doc'), { ok: true, type: 'doc' });
    }
    const word2 = oldWordStream(Buffer.from('Hello'), { magic: 0xa5db, version: 45 });
    assert.deepEqual(await detectDocumentType(word2, 'a.doc'), { ok: true, type: 'doc' });
  });

  it('is unknown for a spreadsheet that embeds a Word document', async () => {
    const embedded = { name: 'MBD1', content: [{ name: 'WordDocument', content: Buffer.alloc(10) }] };
    const file = makeCompoundFile([{ name: 'Workbook', content: Buffer.alloc(10) }, embedded]);
    assert.deepEqual(await detectDocumentType(file, 'a.doc'), { ok: false, reason: 'unknown_type' });
  });

  it('is unknown for a document with macros and another extension', async () => {
    const macro = 'application/vnd.ms-word.document.macroEnabled.main+xml';
    const docm = makeZip([
      honestPart('[Content_Types].xml', `<Types><Override ContentType="${macro}"/></Types>`),
      honestPart('word/document.xml', '<w:document/>'),
    ]);
    assert.deepEqual(await detectDocumentType(docm, 'a.docx'), { ok: false, reason: 'unknown_type' });
  });

  it('is pdf after a few foreign bytes, but text for a text that mentions the header', async () => {
    const pdf = Buffer.concat([Buffer.from([0, 1, 2]), await makePdf([textLines(['Hello'])])]);
    assert.deepEqual(await detectDocumentType(pdf, 'a.pdf'), { ok: true, type: 'pdf' });
    assert.deepEqual(await detectDocumentType(Buffer.from('It begins with %PDF-1.7'), 'a.txt'), {
      ok: true,
      type: 'txt',
    });
  });

  it('never throws for any bytes', async () => {
    const beginnings = [
      '',
      '%PDF-',
      'PK\u0003\u0004',
      '\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1',
      '\u00ff\u00fe',
    ];
    const bytes = fc.tuple(fc.constantFrom(...beginnings), fc.uint8Array({ maxLength: 2000 }));
    await fc.assert(
      fc.asyncProperty(bytes, async ([beginning, rest]) => {
        const result = await detectDocumentType(
          Buffer.concat([Buffer.from(beginning, 'latin1'), rest]),
          'a.txt',
        );
        assert.equal(typeof result.ok, 'boolean');
      }),
    );
  });
});

describe('a plain text', () => {
  const german =
    'Grüße aus Köln: Öl, Maß und Straße kosten 5 Euro. Für größere Mengen gelten übliche Preise.\r\n';
  const russian = 'Магазин открыт каждый день с девяти утра до шести вечера. Добро пожаловать к нам!\n';
  const japanese = '営業時間は午前九時から午後六時までです。日曜日は休みです。よろしくお願いします。\n';
  const samples: [string, Buffer][] = [
    ['ASCII that begins like a bitmap', Buffer.from('BMW and other bikes')],
    ['ASCII that begins like a program', Buffer.from('MZ is a pair of letters')],
    ['UTF-8', Buffer.from(german + russian + japanese)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${german}`)],
    ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${russian}`, 'utf16le')],
    ['UTF-16 big-endian with a byte order mark', iconv.encode(japanese, 'utf-16be', { addBOM: true })],
    ['UTF-16 without one', Buffer.from(german, 'utf16le')],
    ['Windows-1252', iconv.encode(german, 'windows-1252')],
    ['Windows-1251', iconv.encode(russian, 'windows-1251')],
    ['KOI8-R', iconv.encode(russian, 'koi8-r')],
    ['Shift-JIS', iconv.encode(japanese, 'shift_jis')],
    ['blank lines only', Buffer.from('\n\n')],
  ];
  for (const [name, bytes] of samples) {
    it(`may be ${name}`, async () => {
      assert.deepEqual(await detectDocumentType(bytes, 'a.txt'), { ok: true, type: 'txt' });
    });
  }

  it('has no zero bytes and no control characters', async () => {
    const refused = { ok: false, reason: 'unknown_type' };
    assert.deepEqual(await detectDocumentType(Buffer.from('Hello\0world'), 'a.txt'), refused);
    assert.deepEqual(await detectDocumentType(Buffer.from('Hello\u0007world'), 'a.txt'), refused);
    assert.deepEqual(await detectDocumentType(randomBytes(4096), 'a.txt'), refused);
    assert.deepEqual(
      await detectDocumentType(Buffer.concat([Buffer.from([0xff, 0xfe]), randomBytes(8192)]), 'a.txt'),
      refused,
    );
  });

  it('has few unpaired surrogates', async () => {
    const halves = (others: number) => Buffer.from(`\ufeff${'a'.repeat(others)}\ud800a\udc00`, 'utf16le');
    assert.deepEqual(await detectDocumentType(halves(50), 'a.txt'), { ok: false, reason: 'unknown_type' });
    assert.deepEqual(await detectDocumentType(halves(200), 'a.txt'), { ok: true, type: 'txt' });
  });

  it('has no zero byte far from its beginning', async () => {
    const bytes = Buffer.concat([Buffer.alloc(200_000, 'text '), Buffer.from([0])]);
    assert.deepEqual(await detectDocumentType(bytes, 'a.txt'), { ok: false, reason: 'unknown_type' });
  });
});

function utf16(text: string): string {
  return Buffer.from(text, 'utf16le').toString('latin1');
}
