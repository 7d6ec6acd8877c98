import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { normalizeText, type TextBlock, toExtractedText } from './sections.ts';

const heading = (text: string, page: number | null = null): TextBlock => ({ page, isHeading: true, text });
const paragraph = (text: string, page: number | null = null): TextBlock => ({ page, isHeading: false, text });

describe('sections', () => {
  it('gather the paragraphs under a heading', () => {
    const { sections } = toExtractedText([
      paragraph('Before'),
      heading('Prices'),
      paragraph('One'),
      paragraph('Two'),
    ]);
    assert.deepEqual(sections, [
      { page: null, heading: null, text: 'Before' },
      { page: null, heading: 'Prices', text: 'One\n\nTwo' },
    ]);
  });

  it('end with a page, and the next page continues under the same heading', () => {
    const { sections } = toExtractedText([heading('Prices', 1), paragraph('One', 1), paragraph('Two', 2)]);
    assert.deepEqual(sections, [
      { page: 1, heading: 'Prices', text: 'One' },
      { page: 2, heading: 'Prices', text: 'Two' },
    ]);
  });

  it('have the page of their text if the heading ends the previous page', () => {
    const { sections } = toExtractedText([heading('Prices', 1), paragraph('One', 2)]);
    assert.deepEqual(sections, [{ page: 2, heading: 'Prices', text: 'One' }]);
  });

  it('keep a heading with nothing below it as its own text', () => {
    const { sections } = toExtractedText([heading('Title'), heading('Prices'), paragraph('One')]);
    assert.deepEqual(sections[0], { page: null, heading: 'Title', text: 'Title' });
  });

  it('count code points, headings and the blank lines between blocks included', () => {
    assert.equal(toExtractedText([heading('Ab'), paragraph('c😀'), paragraph('  ')]).chars, 2 + 2 + 2);
  });

  it('are empty for a document without text', () => {
    assert.deepEqual(toExtractedText([heading(' '), paragraph('\n')]), { sections: [], chars: 0 });
  });

  it('do not treat a text of 1,000 characters or more as a heading', () => {
    const long = 'x'.repeat(1001);
    assert.deepEqual(toExtractedText([heading(long), paragraph('One')]).sections, [
      { page: null, heading: null, text: `${long}\n\nOne` },
    ]);
  });
});

describe('normalized text', () => {
  const cases: [string, string, string][] = [
    ['lines end in LF', 'a\r\nb\rc\u2028d', 'a\nb\nc\nd'],
    ['paragraphs are one blank line apart', 'a\n \n\t\n\nb', 'a\n\nb'],
    ['a page break ends a paragraph', 'a\fb', 'a\n\nb'],
    ['runs of blanks become one', 'a \t\u00a0\u3000b', 'a b'],
    ['invisible and control characters are removed', 'a\u00adb\u200bc\u0007d\ufeff', 'abcd'],
    ['letters are composed', 'e\u0301', 'é'],
    ['unpaired surrogates are replaced', 'a\ud800', 'a\ufffd'],
  ];
  for (const [rule, given, expected] of cases) {
    it(`follows the rule: ${rule}`, () => assert.equal(normalizeText(given), expected));
  }
});
