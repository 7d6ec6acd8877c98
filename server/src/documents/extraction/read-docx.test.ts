import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import {
  Document,
  FootnoteReferenceRun,
  HeadingLevel,
  Packer,
  Paragraph,
  Table,
  TableCell,
  TableRow,
  TextRun,
} from 'docx';
import { docxParagraph, makeDocx } from '../../../test/documents/make-docx.ts';
import { bombPart, honestPart, makeZip } from '../../../test/documents/make-zip.ts';
import { readDocx } from './read-docx.ts';

const mebibyte = 2 ** 20;

describe('reading a docx', () => {
  it('returns headings, paragraphs, lists, tables and footnotes', async () => {
    const cell = (text: string): TableCell => new TableCell({ children: [new Paragraph(text)] });
    const document = new Document({
      footnotes: { 1: { children: [new Paragraph('Except on holidays.')] } },
      sections: [
        {
          children: [
            new Paragraph({ text: 'Prices', heading: HeadingLevel.HEADING_2 }),
            new Paragraph({ children: [new TextRun('Valid from May.'), new FootnoteReferenceRun(1)] }),
            new Paragraph({ text: 'one', bullet: { level: 0 } }),
            new Paragraph({ text: 'two', bullet: { level: 0 } }),
            new Table({ rows: [new TableRow({ children: [cell('Bike'), cell('4 euros')] })] }),
            new Paragraph({ children: [new TextRun('Ask'), new TextRun({ text: 'us.', break: 1 })] }),
          ],
        },
      ],
    });
    const { sections, chars } = await readDocx(await Packer.toBuffer(document), mebibyte);
    const text = 'Valid from May.\n\n- one\n- two\n\nBike | 4 euros\n\nAsk\nus.\n\nExcept on holidays.';
    assert.deepEqual(sections, [{ page: null, heading: 'Prices', text }]);
    assert.equal(chars, `Prices\n\n${text}`.length);
  });

  it('detects headings by style even if the document defines no styles', async () => {
    const body = docxParagraph('Title', 'Heading1') + docxParagraph('Hello 😀');
    const { sections } = await readDocx(makeDocx(body), mebibyte);
    assert.deepEqual(sections, [{ page: null, heading: 'Title', text: 'Hello 😀' }]);
  });

  it('reads a document of LibreOffice', async () => {
    const file = await readFile(new URL('../../../test/fixtures/documents/letter.docx', import.meta.url));
    const { sections } = await readDocx(file, mebibyte);
    assert.deepEqual(sections, [
      {
        page: null,
        heading: 'Delivery terms',
        text: 'We deliver “Müller’s” coffee to cafés in Kraków and Zürich within three working days.',
      },
      {
        page: null,
        heading: 'RETURNS',
        text:
          'Unopened bags may be sent back within 30 days.\n\nRegion | Price\nPoland | 7 euros\n\n' +
          '- First point\n- Second point\n\nПривет, 世界 😀',
      },
    ]);
  });

  it('returns no sections for an empty document', async () => {
    assert.deepEqual(await readDocx(makeDocx('<w:p/>'), mebibyte), { sections: [], chars: 0 });
  });

  it('rejects a document that declares too many bytes, without unpacking it', async () => {
    const docx = makeDocx(docxParagraph('Hi'), [bombPart('word/styles.xml', 0, 3 * mebibyte)]);
    await assert.rejects(readDocx(docx, mebibyte), { reason: 'too_large' });
  });

  it('rejects a document that unpacks to more than it declares at the limit', async () => {
    const docx = makeDocx(docxParagraph('Hi'), [bombPart('word/styles.xml', 3, 1000)]);
    await assert.rejects(readDocx(docx, mebibyte), { reason: 'too_large' });
  });

  it('counts all parts together', async () => {
    const parts = [1, 2, 3].map((part) => bombPart(`word/header${part}.xml`, 1));
    await assert.rejects(readDocx(makeDocx(docxParagraph('Hi'), parts), 2 * mebibyte), {
      reason: 'too_large',
    });
  });

  it('does not unpack pictures', async () => {
    const docx = makeDocx(docxParagraph('Hi'), [bombPart('word/media/image1.bmp', 3)]);
    assert.equal((await readDocx(docx, mebibyte)).sections[0]?.text, 'Hi');
  });

  it('rejects broken archives and archives that are not documents', async () => {
    await assert.rejects(readDocx(makeZip([honestPart('a.xml', '<a/>')]), mebibyte));
    await assert.rejects(readDocx(makeDocx(docxParagraph('Hi')).subarray(0, 300), mebibyte));
    await assert.rejects(readDocx(makeDocx('<w:p>'), mebibyte));
  });

  it('does not follow entities that a document declares', async () => {
    const bomb = '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>';
    const parts = makeDocx('', [
      honestPart('word/document.xml', `${bomb}<w:document><w:body>&b;</w:body></w:document>`),
    ]);
    const read = await readDocx(parts, mebibyte).catch(() => null);
    assert.equal(read?.sections.length ?? 0, 0);
  });
});
