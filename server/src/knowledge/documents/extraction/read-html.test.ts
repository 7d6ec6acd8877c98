import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import iconv from 'iconv-lite';
import type { ExtractedText } from './extraction.ts';
import { readHtml, readMarkdown } from './read-html.ts';

const textOf = ({ sections }: ExtractedText): string => sections.map(({ text }) => text).join('\n\n');
const html = (source: string): string => textOf(readHtml(Buffer.from(source)));
const markdown = (source: string): string => textOf(readMarkdown(Buffer.from(source)));

describe('reading a page', () => {
  it('returns headings, paragraphs, lists and preformatted text, with unclosed elements', () => {
    const page =
      '<!doctype html><html><head><title>Hours</title></head><body><h1>Hours</h1><p>Open<br>every \n day &amp; night.<p>&lt;Ask&gt; us' +
      '<ul><li>one<li>two</ul><h2>Map</h2><pre>a\n  b</pre><dl><dt>Term<dd>Meaning</dl>';
    const { sections } = readHtml(Buffer.from(page));
    assert.deepEqual(sections, [
      { page: null, heading: 'Hours', text: 'Open\nevery day & night.\n\n<Ask> us\n\n- one\n- two' },
      { page: null, heading: 'Map', text: 'a\nb\n\nTerm\n\nMeaning' },
    ]);
  });

  it('reads no scripts, styles, templates, comments, readings, hidden and struck-out text', () => {
    const page =
      '<style>p { color: red }</style><script>var a = "</p><p>secret";</script><template><p>secret</template><!-- <p>secret -->' +
      '<noscript>secret</noscript><p hidden>secret</p><div style="color:red; display : none">secret<p>secret</div>' +
      '<svg><title>secret</title></svg><p><del>20</del> <s>18</s> 15 €</p><ruby>漢<rp>(</rp><rt>kan</rt></ruby>';
    assert.equal(html(page), '15 €\n\n漢');
  });

  it('repeats the headers of tables, also of two rows and with spans', () => {
    const page =
      '<table><thead><tr><th rowspan=2>Boat<th colspan=2>Price</tr><tr><th>Hour<th>Day</tr></thead><tbody>' +
      '<tr><td rowspan=2>Kayak<td>12<td>40<tr><td>13<td>41</table>';
    assert.equal(
      html(page),
      'Boat: Kayak\nPrice Hour: 12\nPrice Day: 40\n\nBoat: Kayak\nPrice Hour: 13\nPrice Day: 41',
    );
  });

  it('keeps the first column of a table without a header row', () => {
    const page =
      '<table><tr><th>Monday</th><td>closed</td></tr><tr><th>Tuesday</th><td>9-17</td></tr></table>';
    assert.equal(html(page), 'Monday | closed\nTuesday | 9-17');
  });

  it('reads tables that only place other content as that content', () => {
    const page =
      '<table><tr><td><h2>Left</h2><p>One</p></td><td><table><tr><th>A<th>B<tr><td>1<td>2</table></td></tr></table>';
    assert.deepEqual(readHtml(Buffer.from(page)).sections, [
      { page: null, heading: 'Left', text: 'One\n\nA: 1\nB: 2' },
    ]);
  });

  it('follows the declared encoding unless the file is Unicode', () => {
    const page = '<meta charset="windows-1251"><p>Цена</p>';
    assert.equal(textOf(readHtml(iconv.encode(page, 'windows-1251'))), 'Цена');
    assert.equal(html(page), 'Цена');
    assert.equal(html(page.replace('windows-1251', 'no-such-name')), 'Цена');
  });

  it('rejects spans that multiply to more than a million cells', () => {
    const page = `<table><tr>${'<th colspan=1000 rowspan=1000>a'.repeat(1100)}<tr><td>x</table>`;
    assert.throws(() => html(page), { reason: 'too_large' });
  });
});

describe('reading Markdown', () => {
  it('returns headings, lists, code, tables and embedded HTML', () => {
    const source =
      '---\ntitle: secret\n---\n# The *harbour*\n\nOpen for [visitors](https://example.org) **daily**.\n\n' +
      '| Boat | Price |\n|---|---:|\n| Kayak `K1` | 12 € |\n| Canoe | 20 € |\n\n- one\n  - two\n\n' +
      'Map\n---\n```\nsome code\n```\n<script>secret()</script>\n<p>And <b>HTML</b></p>\n';
    const { sections, chars } = readMarkdown(Buffer.from(source));
    assert.deepEqual(sections, [
      {
        page: null,
        heading: 'The harbour',
        text: 'Open for visitors daily.\n\nBoat: Kayak K1\nPrice: 12 €\n\nBoat: Canoe\nPrice: 20 €\n\n- one\n- two',
      },
      { page: null, heading: 'Map', text: 'some code\n\nAnd HTML' },
    ]);
    assert.equal(chars, [...source].length);
  });

  it('reads a long text in pieces, without a cut inside of code', () => {
    const code = `\`\`\`\n${'line\n\n'.repeat(20_000)}# no heading\n\`\`\`\n\n`;
    const { sections } = readMarkdown(
      Buffer.from(`${'Some words.\n\n'.repeat(10_000)}${code}# Heading\n\nEnd`),
    );
    assert.equal(sections.length, 2);
    assert.match(sections[0]?.text ?? '', /# no heading$/);
    assert.deepEqual(sections[1], { page: null, heading: 'Heading', text: 'End' });
  });

  it('has no text if the file has none', () => {
    assert.deepEqual(readMarkdown(Buffer.from('<!-- nothing -->')), { sections: [], chars: 0 });
    assert.equal(markdown('\n'), '');
  });
});
