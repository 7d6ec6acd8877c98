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
import { makeCompoundFile } from '../../../../test/documents/make-doc.ts';
import { docxParagraph, makeDocx } from '../../../../test/documents/make-docx.ts';
import { bombPart, honestPart, makeZip } from '../../../../test/documents/make-zip.ts';
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
    const file = await readFile(new URL('../../../../test/fixtures/documents/letter.docx', import.meta.url));
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
    await assert.rejects(readDocx(makeDocx('</w:p>'), mebibyte));
  });

  it('rejects a document type, which may declare entities', async () => {
    const bomb = '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>';
    const docx = makeDocx('', [
      honestPart('word/document.xml', `${bomb}<w:document><w:body>&b;</w:body></w:document>`),
    ]);
    await assert.rejects(readDocx(docx, mebibyte), { reason: 'unreadable' });
  });

  it('rejects thousands of nested elements', async () => {
    const docx = makeDocx('<w:sdt>'.repeat(5000) + '</w:sdt>'.repeat(5000));
    await assert.rejects(readDocx(docx, mebibyte), { reason: 'unreadable' });
  });
});

const run = (content: string): string => `<w:r>${content}</w:r>`;
const words = (text: string): string => run(`<w:t xml:space="preserve">${text}</w:t>`);
const paragraph = (...content: string[]): string => `<w:p>${content.join('')}</w:p>`;
const fieldMark = (type: string, data = ''): string =>
  run(`<w:fldChar w:fldCharType="${type}">${data}</w:fldChar>`);
const instruction = (text: string): string => run(`<w:instrText>${text}</w:instrText>`);

describe('the text of a docx', () => {
  const textBox = `<w:txbxContent>${docxParagraph('In a box')}</w:txbxContent>`;
  const row = (cells: readonly string[], properties = ''): string =>
    `<w:tr>${properties}${cells.map((cell) => `<w:tc>${docxParagraph(cell)}</w:tc>`).join('')}</w:tr>`;
  const cases: [rule: string, body: string, expected: string][] = [
    [
      'keeps the base text of furigana',
      paragraph(
        run(
          `<w:ruby><w:rubyPr><w:hps w:val="1"/></w:rubyPr><w:rt>${words('とうきょう')}</w:rt>` +
            `<w:rubyBase>${words('東京')}</w:rubyBase></w:ruby>`,
        ),
        words('駅'),
      ),
      '東京駅',
    ],
    [
      'keeps the base text of furigana written as a formula',
      paragraph(
        fieldMark('begin'),
        instruction(' EQ \\* jc2 \\o\\ad(\\s\\up 10('),
        instruction('とうきょう),東京)'),
        fieldMark('end'),
      ),
      '東京',
    ],
    [
      'keeps inserted and moved text, not deleted text',
      paragraph(
        `<w:ins>${words('New')}</w:ins><w:del><w:r><w:delText>Old</w:delText></w:r></w:del>` +
          `<w:moveFrom>${words(' here')}</w:moveFrom><w:moveTo>${words(' there')}</w:moveTo>`,
      ),
      'New there',
    ],
    [
      'joins paragraphs whose mark is deleted',
      `<w:p><w:pPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr>${words('One ')}</w:p>${docxParagraph('line')}`,
      'One line',
    ],
    [
      'leaves out deleted rows',
      `<w:tbl>${row(['Bike', '4'])}${row(['Boat', '9'], '<w:trPr><w:del w:id="1"/></w:trPr>')}</w:tbl>`,
      'Bike | 4',
    ],
    [
      'ignores the earlier properties of a changed paragraph',
      '<w:p><w:pPr><w:pPrChange><w:pPr><w:pStyle w:val="Heading1"/></w:pPr></w:pPrChange></w:pPr>' +
        `${words('Plain')}</w:p>${docxParagraph('Below')}`,
      'Plain\n\nBelow',
    ],
    [
      'reads one alternative of a text box, after its paragraph',
      paragraph(
        words('Beside'),
        run(
          `<mc:AlternateContent><mc:Choice Requires="wps"><w:drawing>${textBox}</w:drawing></mc:Choice>` +
            `<mc:Fallback><w:pict>${textBox}</w:pict></mc:Fallback></mc:AlternateContent>`,
        ),
        words(' the box'),
      ),
      'Beside the box\n\nIn a box',
    ],
    [
      'reads the fallback of an alternative without text',
      paragraph(
        run(
          `<mc:AlternateContent><mc:Choice Requires="x"><w:drawing/></mc:Choice>` +
            `<mc:Fallback><w:pict>${textBox}</w:pict></mc:Fallback></mc:AlternateContent>`,
        ),
      ),
      'In a box',
    ],
    [
      'reads content controls, smart tags, links and unknown elements',
      `<w:sdt><w:sdtPr><w:alias w:val="x"/><w:placeholder><w:t>hidden</w:t></w:placeholder></w:sdtPr><w:sdtContent>` +
        `${docxParagraph('Controlled')}</w:sdtContent></w:sdt>` +
        paragraph(
          `<w:smartTag>${words('Tagged ')}</w:smartTag><w:hyperlink>${words('linked ')}</w:hyperlink>` +
            `<w:new><w:newer>${words('unknown')}</w:newer></w:new>`,
        ) +
        `<w:p2>${words('Loose')}</w:p2>`,
      'Controlled\n\nTagged linked unknown\n\nLoose',
    ],
    [
      'reads symbols, hyphens, tabs and breaks',
      paragraph(
        run('<w:sym w:font="Wingdings" w:char="F0E0"/>'),
        run('<w:sym w:font="Symbol" w:char="F06D"/>'),
        words(' e'),
        run('<w:noBreakHyphen/>'),
        words('mail week'),
        run('<w:softHyphen/>'),
        words('end'),
        run('<w:tab/>'),
        words('a'),
        run('<w:br/>'),
        words('b'),
        run('<w:cr/>'),
        words('c'),
      ),
      '🡪μ e-mail weekend a\nb\nc',
    ],
    [
      'reads equations and the text of drawings',
      paragraph(
        '<m:oMath><m:r><m:t>𝑥</m:t></m:r></m:oMath>',
        run('<w:drawing><a:p><a:r><a:t>Drawn</a:t></a:r></a:p></w:drawing>'),
      ),
      '𝑥\n\nDrawn',
    ],
    [
      'reads the results of fields, not their instructions',
      paragraph(
        fieldMark('begin'),
        instruction('IF '),
        fieldMark('begin'),
        instruction('MERGEFIELD a'),
        fieldMark('separate'),
        words('inner'),
        fieldMark('end'),
        instruction(' = 1'),
        fieldMark('separate'),
        words('outer'),
        fieldMark('end'),
        `<w:fldSimple w:instr="DATE">${words(' today')}</w:fldSimple>`,
      ),
      'outer today',
    ],
    [
      'reads the values of form fields',
      paragraph(
        fieldMark(
          'begin',
          '<w:ffData><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox></w:ffData>',
        ),
        instruction('FORMCHECKBOX'),
        fieldMark('end'),
        words(' Blue '),
        fieldMark(
          'begin',
          '<w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="S"/><w:listEntry w:val="M"/></w:ddList></w:ffData>',
        ),
        instruction('FORMDROPDOWN'),
        fieldMark('end'),
      ),
      '[x] Blue M',
    ],
  ];
  for (const [rule, body, expected] of cases) {
    it(rule, async () => {
      const { sections } = await readDocx(makeDocx(body), mebibyte);
      assert.deepEqual(sections, [{ page: null, heading: null, text: expected }]);
    });
  }

  it('finds headings and lists by the styles that theirs are based on', async () => {
    const styles =
      '<w:styles><w:style w:styleId="a"><w:name w:val="heading 1"/></w:style>' +
      '<w:style w:styleId="b"><w:name w:val="Mein Titel"/><w:basedOn w:val="a"/></w:style>' +
      '<w:style w:styleId="c"><w:name w:val="Kapitel"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>' +
      '<w:style w:styleId="d"><w:name w:val="Liste"/><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style></w:styles>';
    const body =
      docxParagraph('One', 'b') +
      docxParagraph('x', 'd') +
      docxParagraph('y', 'd') +
      docxParagraph('Two', 'c') +
      docxParagraph('z');
    const docx = makeDocx(body, [honestPart('word/styles.xml', styles), related(['styles', 'styles.xml'])]);
    assert.deepEqual((await readDocx(docx, mebibyte)).sections, [
      { page: null, heading: 'One', text: '- x\n- y' },
      { page: null, heading: 'Two', text: 'z' },
    ]);
  });

  it('reads headers and footers once before the body, and diagrams and notes after it', async () => {
    const part = (name: string, content: string) => honestPart(`word/${name}.xml`, `<x>${content}</x>`);
    const note = (id: number, text: string): string =>
      `<w:footnote w:id="${id}">${docxParagraph(text)}</w:footnote>`;
    const docx = makeDocx(
      docxParagraph('Prices', 'Heading1') +
        paragraph(words('Body'), run('<w:footnoteReference w:id="2"/>'), run('<dgm:relIds r:dm="r5"/>')),
      [
        part('header1', docxParagraph('Shop Ltd')),
        part('header2', docxParagraph('Shop Ltd') + docxParagraph('3')),
        part('footer1', docxParagraph('Quay Street 7')),
        part('footnotes', note(-1, 'Separator') + note(2, 'Without tax')),
        part('data', '<a:p><a:r><a:t>First step</a:t></a:r></a:p>'),
        related(
          ['header', 'header1.xml'],
          ['header', '/word/header2.xml'],
          ['footer', 'footer1.xml'],
          ['footnotes', './footnotes.xml'],
          ['diagramData', 'data.xml'],
        ),
      ],
    );
    assert.deepEqual((await readDocx(docx, mebibyte)).sections, [
      { page: null, heading: null, text: 'Shop Ltd\n\nQuay Street 7' },
      { page: null, heading: 'Prices', text: 'Body\n\nFirst step\n\nWithout tax' },
    ]);
  });
});

/** The relationships of the main part, numbered from `r1`. */
const related = (...parts: [type: string, target: string][]) =>
  honestPart(
    'word/_rels/document.xml.rels',
    `<Relationships>${parts
      .map(
        ([type, target], index) =>
          `<Relationship Id="r${index + 1}" Type="http://x/${type}" Target="${target}"/>`,
      )
      .join('')}</Relationships>`,
  );

describe('the package of a docx', () => {
  const body = docxParagraph('Hello');
  const text = async (docx: Uint8Array): Promise<string | undefined> =>
    (await readDocx(docx, mebibyte)).sections[0]?.text;
  const document = (content: string): string => `<w:document><w:body>${content}</w:body></w:document>`;
  const rootRelationship = (
    target: string,
    namespace = 'http://schemas.openxmlformats.org/officeDocument/2006',
  ) =>
    honestPart(
      '_rels/.rels',
      `<Relationships><Relationship Id="r1" Type="${namespace}/relationships/officeDocument" Target="${target}"/></Relationships>`,
    );

  it('may name its main part in any way', async () => {
    for (const [target, name] of [
      ['word/document2.xml', 'word/document2.xml'],
      ['/other/main.xml', 'other/main.xml'],
      ['Word/Document.XML', 'word/document.xml'],
      ['word\\document.xml', 'word\\document.xml'],
      ['word/a%20b.xml', 'word/a b.xml'],
    ] as const) {
      const docx = makeZip([rootRelationship(target), honestPart(name, document(body))]);
      assert.equal(await text(docx), 'Hello', name);
    }
  });

  it('names its main part by content type if it lacks relationships', async () => {
    const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
    const types = `<Types><Override PartName="/main.xml" ContentType="${type}"/></Types>`;
    const docx = makeZip([honestPart('[Content_Types].xml', types), honestPart('main.xml', document(body))]);
    assert.equal(await text(docx), 'Hello');
  });

  it('may use strict namespaces and other prefixes', async () => {
    const strict = document(body).replaceAll('w:', 'x:');
    const docx = makeZip([
      rootRelationship('word/document.xml', 'http://purl.oclc.org/ooxml/officeDocument'),
      honestPart('word/document.xml', strict),
    ]);
    assert.equal(await text(docx), 'Hello');
    const unprefixed = makeDocx('', [honestPart('word/document.xml', document(body).replaceAll('w:', ''))]);
    assert.equal(await text(unprefixed), 'Hello');
  });

  it('may have foreign bytes before and after the archive, or a comment', async () => {
    const docx = makeDocx(body);
    const foreign = Buffer.from('\r\n--boundary--\r\n');
    assert.equal(await text(Buffer.concat([docx, foreign])), 'Hello');
    assert.equal(await text(Buffer.concat([foreign, docx])), 'Hello');
    assert.equal(await text(Buffer.concat([foreign, docx, Buffer.alloc(70_000)])), 'Hello');
    docx.writeUInt16LE(9, docx.length - 2); // announces a comment, which is cut
    assert.equal(await text(docx), 'Hello');
  });

  it('may have data descriptors and 64-bit records', async () => {
    for (const options of [{ descriptors: true }, { zip64: true }, { descriptors: true, zip64: true }]) {
      const docx = makeZip(
        [rootRelationship('word/document.xml'), honestPart('word/document.xml', document(body))],
        options,
      );
      assert.equal(await text(docx), 'Hello');
      assert.equal(await text(Buffer.concat([Buffer.from('prefix'), docx, Buffer.from('suffix')])), 'Hello');
    }
  });

  it('may contain UTF-16', async () => {
    const declaration = '\ufeff<?xml version="1.0" encoding="UTF-16"?>';
    const utf16 = Buffer.from(declaration + document(docxParagraph('Grüße')), 'utf16le');
    assert.equal(await text(makeDocx('', [honestPart('word/document.xml', utf16)])), 'Grüße');
    assert.equal(await text(makeDocx('', [honestPart('word/document.xml', utf16.swap16())])), 'Grüße');
  });

  it('is encrypted if it is wrapped in a compound file', async () => {
    const file = makeCompoundFile([{ name: 'EncryptedPackage', content: Buffer.alloc(100) }]);
    await assert.rejects(readDocx(file, mebibyte), { reason: 'encrypted' });
  });
});
