import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { PDFDocument } from 'pdf-lib';
import {
  assemblePage,
  makeJapanesePdf,
  makePdf,
  type PdfText,
  streamObject,
  textLines,
} from '../../../../test/documents/make-pdf.ts';
import { readPdf } from './read-pdf.ts';

const fixture = (name: string): Promise<Buffer> =>
  readFile(new URL(`../../../../test/fixtures/documents/${name}`, import.meta.url));

const read = async (pages: readonly (readonly PdfText[])[]) => readPdf(await makePdf(pages));
const titled = (title: string, lines: readonly string[]): PdfText[] => [
  { text: title, x: 72, y: 800, size: 18 },
  ...textLines(lines),
];

const readText = async (file: Uint8Array): Promise<string> => {
  const { sections } = await readPdf(new Uint8Array(file));
  return sections.map(({ text }) => text).join('\n');
};

/** A line in the font `F`. */
const show = (text: string, x = 72, y = 700): string => `BT /F 12 Tf ${x} ${y} Td (${text}) Tj ET`;

describe('reading a PDF', () => {
  it('returns the page number with its text', async () => {
    const { sections, chars } = await read([textLines(['First page.']), [], textLines(['Third page.'])]);
    assert.deepEqual(sections, [
      { page: 1, heading: null, text: 'First page.' },
      { page: 3, heading: null, text: 'Third page.' },
    ]);
    assert.equal(chars, 'First page.\n\nThird page.'.length);
  });

  it('treats larger lines as headings', async () => {
    const { sections } = await read([titled('Opening hours', ['We are open from nine to six.'])]);
    assert.deepEqual(sections, [
      { page: 1, heading: 'Opening hours', text: 'We are open from nine to six.' },
    ]);
  });

  it('joins the lines of a paragraph and undoes hyphenation', async () => {
    const lines = [
      'The shop at the ferry terminal is open from',
      'Monday to Friday. On Sundays the beach ter-',
      'race is closed.',
    ];
    const { sections } = await read([textLines(lines)]);
    assert.equal(
      sections[0]?.text,
      'The shop at the ferry terminal is open from Monday to Friday. On Sundays the beach terrace is closed.',
    );
  });

  it('separates paragraphs at a gap', async () => {
    const lines = [...textLines(['One one', 'one one'], 780), ...textLines(['Two two', 'two two'], 735)];
    assert.equal((await read([lines])).sections[0]?.text, 'One one one one\n\nTwo two two two');
  });

  it('keeps the items of a list and the rows of a table on lines of their own', async () => {
    const row = (first: string, second: string, y: number): PdfText[] => [
      { text: first, x: 72, y },
      { text: second, x: 300, y },
    ];
    const lines = [
      ...textLines(['You need:', '- a card', '- a helmet'], 780),
      ...row('City bike', '4 euros', 700),
      ...row('Cargo bike', '12 euros', 685),
    ];
    const { sections } = await read([lines]);
    assert.equal(
      sections[0]?.text,
      'You need:\n- a card\n- a helmet\n\nCity bike | 4 euros\nCargo bike | 12 euros',
    );
  });

  it('leaves out headers, footers and page numbers', async () => {
    const page = (number: number, text: string): PdfText[] => [
      { text: 'Lumen Bikes handbook', x: 72, y: 810, size: 16 },
      ...textLines([text, 'and more of it']),
      { text: `Page ${number} of 3`, x: 72, y: 40, size: 9 },
      { text: String(number), x: 300, y: 20, size: 9 },
    ];
    const { sections } = await read([page(1, 'One'), page(2, 'Two'), page(3, 'Three')]);
    assert.deepEqual(
      sections.map(({ heading, text }) => [heading, text]),
      [
        [null, 'One and more of it'],
        [null, 'Two and more of it'],
        [null, 'Three and more of it'],
      ],
    );
  });

  it('leaves out page numbers of documents with few pages', async () => {
    const { sections } = await read([
      [...textLines(['One', 'and more of it']), { text: '- 1 -', x: 300, y: 20 }],
    ]);
    assert.equal(sections[0]?.text, 'One and more of it');
  });

  it('keeps a number that is the only text of a page', async () => {
    assert.equal((await read([textLines(['42'])])).sections[0]?.text, '42');
  });

  it('returns no sections for pages without text', async () => {
    assert.deepEqual(await read([[], []]), { sections: [], chars: 0 });
  });

  it('keeps a page whose only line repeats', async () => {
    const page = textLines(['Notes']);
    const { sections } = await read([page, page, page]);
    assert.deepEqual(
      sections.map(({ page: number, text }) => [number, text]),
      [1, 2, 3].map((number) => [number, 'Notes']),
    );
  });

  it('rejects a file that needs a password as encrypted', async () => {
    await assert.rejects(readPdf(new Uint8Array(await fixture('encrypted.pdf'))), { reason: 'encrypted' });
  });

  it('reads a file that only its owner needs a password to change', async () => {
    const { sections } = await readPdf(new Uint8Array(await fixture('encrypted-empty-password.pdf')));
    assert.match(sections[0]?.text ?? '', /\w+ \w+/);
  });

  it('reads a file that encrypts only its attachments', async () => {
    const digest = `<${'ab'.repeat(48)}>`;
    const key = `<${'cd'.repeat(32)}>`;
    const encryption =
      `<< /Filter /Standard /V 5 /R 6 /Length 256 /P -4 /O ${digest} /U ${digest} /OE ${key} /UE ${key} ` +
      `/Perms <${'ef'.repeat(16)}> /CF << /StdCF << /CFM /AESV3 /Length 32 >> >> /StmF /Identity /StrF /Identity /EFF /StdCF >>`;
    const file = (dictionary: string) =>
      assemblePage({
        content: show('Open'),
        objects: [dictionary],
        trailer: `/Encrypt 6 0 R /ID [<${'00'.repeat(16)}> <${'00'.repeat(16)}>]`,
      });
    assert.equal(await readText(file(encryption)), 'Open');
    const encrypted = file(encryption.replaceAll('Identity', 'StdCF'));
    await assert.rejects(readText(encrypted), { reason: 'encrypted' });
  });

  it('leaves out broken pages, and rejects a file without a readable one', async () => {
    const withKids = (kids: string) => {
      const file = assemblePage({ content: show('Readable') }).toString('latin1');
      return Buffer.from(file.replace('[3 0 R] /Count 1', `[${kids}] /Count 3`), 'latin1');
    };
    assert.equal(await readText(withKids('3 0 R 4 0 R')), 'Readable');
    await assert.rejects(readText(withKids('5 0 R 5 0 R 5 0 R')));
  });

  it('rejects a file that only begins like a PDF', async () => {
    await assert.rejects(readPdf(new TextEncoder().encode('%PDF-1.7\ngarbage')));
  });
});

describe('text outside the content of a PDF page', () => {
  it('returns the values of form fields beside their labels', async () => {
    const document = await PDFDocument.create();
    const page = document.addPage([595, 842]);
    const form = document.getForm();
    const rows = ['Price', 'Colour', 'Delivery', 'Gift'];
    for (const [index, label] of rows.entries())
      page.drawText(label, { x: 72, y: 700 - index * 40, size: 12 });
    const place = (row: number) => ({ x: 150, y: 696 - row * 40, width: 120, height: 20 });
    const price = form.createTextField('price');
    price.setText('12,50 EUR');
    price.addToPage(page, place(0));
    const colour = form.createDropdown('colour');
    colour.setOptions(['red', 'green']);
    colour.select('green');
    colour.addToPage(page, place(1));
    const delivery = form.createRadioGroup('delivery');
    delivery.addOptionToPage('post', page, { ...place(2), width: 20 });
    delivery.addOptionToPage('shop', page, { ...place(2), x: 180, width: 20 });
    delivery.select('shop');
    const gift = form.createCheckBox('gift');
    gift.addToPage(page, { ...place(3), width: 20 });
    gift.check();
    assert.equal(
      (await readText(await document.save())).replaceAll(' | ', ' '),
      'Price 12,50 EUR\nColour green\nDelivery [ ] [x]\nGift [x]',
    );
  });

  it('returns the value of a field that has no appearance', async () => {
    const file = assemblePage({
      content: show('Total'),
      page: '/Annots [6 0 R]',
      catalog: '/AcroForm << /Fields [6 0 R] /DA (/F 12 Tf) >>',
      objects: [
        '<< /Type /Annot /Subtype /Widget /FT /Tx /T (total) /V (98 EUR) /DA (/F 12 Tf) /F 4 /P 3 0 R /Rect [120 694 220 716] >>',
      ],
    });
    assert.match(await readText(file), /^Total( \|)? 98 EUR$/);
  });

  it('keeps the lines of a value', async () => {
    const file = assemblePage({
      content: show('Address'),
      page: '/Annots [6 0 R]',
      catalog: '/AcroForm << /Fields [6 0 R] >>',
      objects: [
        '<< /Type /Annot /Subtype /Widget /FT /Tx /Ff 4096 /T (to) /V (Quay Street 7\\n4020 Harbour) /F 4 /Rect [72 600 372 640] >>',
      ],
    });
    assert.equal((await readText(file)).replaceAll(/\n+/g, '\n'), 'Address\nQuay Street 7\n4020 Harbour');
  });

  it('lists the options of a list, and reads no password', async () => {
    const file = assemblePage({
      content: '',
      page: '/Annots [6 0 R 7 0 R]',
      catalog: '/AcroForm << /Fields [6 0 R 7 0 R] >>',
      objects: [
        '<< /Type /Annot /Subtype /Widget /FT /Ch /T (size) /Opt [[(s) (Small)] [(l) (Large)]] /V (l) /F 4 /Rect [72 600 172 640] >>',
        '<< /Type /Annot /Subtype /Widget /FT /Tx /Ff 8192 /T (pin) /V (4711) /F 4 /Rect [72 500 172 520] >>',
      ],
    });
    assert.equal(await readText(file), '[ ] Small\n[x] Large');
  });

  it('returns notes, text boxes and stamps after the page', async () => {
    const appearance = (text: string) =>
      streamObject(
        '/Type /XObject /Subtype /Form /BBox [0 0 200 40] /Resources << /Font << /F 5 0 R >> >>',
        `BT /F 12 Tf 5 10 Td (${text}) Tj ET`,
      );
    const annotation = (entries: string) => `<< /Type /Annot /F 4 /Rect [72 400 272 440] ${entries} >>`;
    const file = assemblePage({
      content: show('Agreement'),
      page: '/Annots [6 0 R 7 0 R 8 0 R 9 0 R]',
      objects: [
        annotation('/Subtype /Text /Contents (Call before noon)'),
        annotation('/Subtype /FreeText /DA (/F 12 Tf) /Contents (Valid until May) /AP << /N 10 0 R >>'),
        annotation('/Subtype /Stamp /AP << /N 11 0 R >>'),
        annotation('/Subtype /Stamp /F 2 /AP << /N 11 0 R >>'),
        appearance('Valid until May'),
        appearance('PAID'),
      ],
    });
    assert.equal(await readText(file), 'Agreement\n\nCall before noon\n\nValid until May\n\nPAID');
  });
});

describe('the order of the text of a PDF page', () => {
  it('reads rotated pages and rotated text', async () => {
    assert.equal(
      await readText(assemblePage({ content: show('Upright words'), page: '/Rotate 90' })),
      'Upright words',
    );
    const lines = [
      '/F 12 Tf 0 1 -1 0 100 100 Tm (First) Tj',
      '60 0 Td (line) Tj',
      '-60 -15 Td (second line) Tj',
    ];
    assert.equal(
      await readText(assemblePage({ content: `BT ${lines.join(' ')} ET`, page: '/Rotate 270' })),
      'First | line\nsecond line',
    );
  });

  it('separates words that only their positions separate', async () => {
    const words = ['This', 'agreement', 'states'];
    const content = words.map((word, index) => show(word, 72 + index * 62)).join(' ');
    assert.equal((await readText(assemblePage({ content }))).replaceAll(' | ', ' '), 'This agreement states');
  });

  it('reads right-to-left words in their order, with ligatures', async () => {
    const letters = [
      ['A', 'FEE7'],
      ['B', 'FBFC'],
      ['C', 'FEED'],
      ['D', 'FED7'],
      ['L', 'FCCB'],
      ['1', '0031'],
      ['2', '0032'],
    ];
    const mapped = letters.map(
      ([code, letter]) => `<${Buffer.from(code ?? '').toString('hex')}> <${letter}>`,
    );
    const toUnicode =
      '/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange ' +
      `${mapped.length} beginbfchar ${mapped.join(' ')} endbfchar endcmap`;
    const read = (content: string) =>
      readText(
        assemblePage({
          content,
          font: '/Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R',
          objects: [streamObject('', toUnicode)],
        }),
      );
    // On the page from the left: the second word, then the first one.
    const expected = '\u0646\u06cc\u0642 \u0644\u062e\u0648';
    assert.equal(await read(`${show('CL', 72)} ${show('DBA', 100)}`), expected);
    assert.equal(await read(`${show('DBA', 100)} ${show('CL', 72)}`), expected);
    assert.equal(
      await read(`${show('CL', 72)} ${show('12', 94)} ${show('DBA', 112)}`),
      expected.replace(' ', ' 12 '),
    );
  });
});

describe('fonts of a PDF', () => {
  it('reads text in the encodings that files name without including them', async () => {
    assert.equal(await readText(makeJapanesePdf()), '\u65e5\u672c\u8a9e');
  });
});
