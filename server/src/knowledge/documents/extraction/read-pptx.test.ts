import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { honestPart, makeZip } from '../../../../test/documents/make-zip.ts';
import { readPptx } from './read-pptx.ts';

const mebibyte = 2 ** 20;
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** Returns a presentation with these slides. */
function makePptx(slides: readonly string[]): Buffer {
  const related = slides.map(
    (_, index) =>
      `<Relationship Id="r${index}" Type="${relationships}/slide" Target="slides/slide${index}.xml"/>`,
  );
  return makeZip([
    honestPart(
      'ppt/presentation.xml',
      `<p><sldIdLst>${slides.map((_, index) => `<sldId r:id="r${index}" id="${256 + index}"/>`).join('')}</sldIdLst></p>`,
    ),
    honestPart('ppt/_rels/presentation.xml.rels', `<Relationships>${related.join('')}</Relationships>`),
    ...slides.map((slide, index) => honestPart(`ppt/slides/slide${index}.xml`, slide)),
  ]);
}

const body = (...paragraphs: string[]): string =>
  `<p:txBody>${paragraphs.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join('')}</p:txBody>`;
const shape = (placeholder: string, ...paragraphs: string[]): string =>
  `<p:sp><p:nvPr><p:ph type="${placeholder}"/></p:nvPr>${body(...paragraphs)}</p:sp>`;

describe('reading a pptx', () => {
  it('reads a presentation of python-pptx: slides as pages, notes and tables, but no hidden slide', async () => {
    const file = await readFile(new URL('../../../../test/fixtures/documents/tours.pptx', import.meta.url));
    const { sections } = await readPptx(file, 16 * mebibyte);
    const notes = 'The sunset tour starts at 19:00 from May to September.';
    const sunset = 'Tour: Sunset\nAdults: 30 €\nChildren: 15 €';
    const island = 'Tour: Island\nAdults: 55 €\nChildren: 25 €';
    assert.deepEqual(sections, [
      { page: 1, heading: 'Tours', text: `Sunset tour: 2 hours\nIsland tour: 5 hours\n\n${notes}` },
      { page: 2, heading: 'Prices', text: `${sunset}\n\n${island}` },
    ]);
  });

  it('puts the title first and leaves out what each slide repeats', async () => {
    const slide = `<p:sld>${shape('body', 'Text')}${shape('sldNum', '7')}${shape('ftr', 'Harbour Ltd')}${shape('title', 'Title')}</p:sld>`;
    const { sections } = await readPptx(makePptx([slide]), mebibyte);
    assert.deepEqual(sections, [{ page: 1, heading: 'Title', text: 'Text' }]);
  });

  it('repeats merged cells, and reads the first alternative with text', async () => {
    const cell = (text: string, attributes = ''): string =>
      `<a:tc ${attributes}>${body(text).replaceAll('p:', 'a:')}</a:tc>`;
    const row = (...cells: string[]): string => `<a:tr>${cells.join('')}</a:tr>`;
    const table =
      '<p:graphicFrame><a:tbl><a:tblPr firstRow="1"/>' +
      row(cell('Boat'), cell('Price', 'gridSpan="2"'), cell('', 'hMerge="1"')) +
      row(cell('Kayak', 'rowSpan="2"'), cell('12'), cell('40')) +
      row(cell('', 'vMerge="1"'), cell('13'), cell('41')) +
      '</a:tbl></p:graphicFrame>';
    const choice = `<mc:AlternateContent><mc:Choice>${shape('body', 'new')}</mc:Choice><mc:Fallback>${shape('body', 'old')}</mc:Fallback></mc:AlternateContent>`;
    const { sections } = await readPptx(makePptx([`<p:sld>${table}${choice}</p:sld>`]), mebibyte);
    assert.equal(
      sections[0]?.text,
      'Boat: Kayak\nPrice: 12\nPrice: 40\n\nBoat: Kayak\nPrice: 13\nPrice: 41\n\nnew',
    );
  });

  it('rejects an archive without a main part', async () => {
    const empty = makeZip([honestPart('ppt/slides/slide1.xml', '<p:sld/>')]);
    await assert.rejects(readPptx(empty, mebibyte), { reason: 'unreadable' });
  });
});
