import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { makePdf, type PdfText, textLines } from '../../../test/documents/make-pdf.ts';
import { readPdf } from './read-pdf.ts';

const fixture = (name: string): Promise<Buffer> =>
  readFile(new URL(`../../../test/fixtures/documents/${name}`, import.meta.url));

const read = async (pages: readonly (readonly PdfText[])[]) => readPdf(await makePdf(pages));
const titled = (title: string, lines: readonly string[]): PdfText[] => [
  { text: title, x: 72, y: 800, size: 18 },
  ...textLines(lines),
];

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

  for (const name of ['encrypted.pdf', 'encrypted-empty-password.pdf']) {
    it(`rejects ${name} as encrypted`, async () => {
      await assert.rejects(readPdf(new Uint8Array(await fixture(name))), { reason: 'encrypted' });
    });
  }

  it('rejects a file that only begins like a PDF', async () => {
    await assert.rejects(readPdf(new TextEncoder().encode('%PDF-1.7\ngarbage')));
  });
});
