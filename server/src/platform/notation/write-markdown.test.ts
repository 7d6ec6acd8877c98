import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chatNotation, type Notation } from './notation.ts';
import { writeMarkdown } from './write-markdown.ts';

const write = (markdown: string) => writeMarkdown(markdown, { notation: chatNotation });

const shop = 'https://shop.example/a_b_c';

const written: [what: string, markdown: string, expected: string][] = [
  ['bold text', '**Opening hours**: 9 to 17', '*Opening hours*: 9 to 17'],
  ['bold text with underscores', 'We __never close__ here', 'We *never close* here'],
  ['italic text', 'We *never* close, _really_', 'We _never_ close, _really_'],
  ['bold italic text', 'We ***never*** close', 'We _*never*_ close'],
  ['struck text', 'Old price ~~50~~ 40', 'Old price ~50~ 40'],
  ['bold text over lines', '**One\ntwo**', '*One*\n*two*'],
  ['bold text within a word', 'Wort**teil**e', 'Wortteile'],
  ['bold text before a letter', '**Hours:**9 to 17, **重要：**内容', 'Hours:9 to 17, 重要：内容'],
  ['bold text between blanks', 'Our ** hours ** are', 'Our *hours* are'],
  ['bold text in quotes and brackets', '"**Yes**" (**no**)', '"*Yes*" (*no*)'],
  ['headings', '# **Our** services #\nRepairs\n\n### More', '*Our services*\nRepairs\n\n*More*'],
  ['underlined headings', 'Services\n====\nRepairs', '*Services*\nRepairs'],
  ['a paragraph above a rule', 'One\ntwo\n---\nthree', 'One\ntwo\nthree'],
  ['rules', 'First\n\n---\n\nSecond\n***\nThird', 'First\n\nSecond\n\nThird'],
  ['links', `See [our site](${shop} "Shop") for more`, `See our site (${shop}) for more`],
  [
    'links to their own text',
    `[${shop}](${shop}) <${shop}> [shop.example](https://shop.example/)`,
    `${shop} ${shop} https://shop.example/`,
  ],
  ['links by reference', `See [our site][1].\n\n[1]: ${shop}`, `See our site (${shop}).`],
  [
    'links to mail and phone',
    '[Mail](mailto:a_b@shop.example), [call](tel:+4930)',
    'Mail (a_b@shop.example), call (+4930)',
  ],
  ['links that lead nowhere', 'See [above](#hours) and [this](javascript:x)', 'See above and this'],
  ['images', `![map](${shop}) ![](${shop})`, `map (${shop}) ${shop}`],
  ['images as links', `[![map](${shop})](data:x)`, `map (${shop})`],
  ['bulleted lists', '* One\n* Two\n    + Three\n- Four', '- One\n- Two\n    - Three\n- Four'],
  ['numbered lists', '1. One\n1. Two\n\n2) Three', '1. One\n2. Two\n\n2) Three'],
  ['lists of tasks', '- [ ] One\n- [x] Two', '- ☐ One\n- ☑ Two'],
  [
    'tables',
    'Prices:\n| Item | **Price** |\n|:--|--:|\n| [Helmet](#h) | 10 |\n| Lock | 5<br>6 |',
    'Prices:\n*Item – Price*\nHelmet – 10\nLock – 5 6',
  ],
  ['code', 'Use `a_b*c*` or ``a`b``', 'Use `a_b*c*` or ```a`b```'],
  ['blocks of code', '```json\n{"a": **1**}\n```', '```\n{"a": **1**}\n```'],
  ['blocks of code with tildes', '~~~sh\nrun *x*', '```\nrun *x*\n```'],
  ['blocks of code in lists', '1. Run\n   ```sh\n   one\n   ```\n2. Stop', '1. Run\n```\none\n```\n2. Stop'],
  ['quotes', '> **One**\n> two', '> *One*\n> two'],
  ['footnotes', 'Nine[^1]\n\n[^1]: Not on Sunday', 'Nine[1]\n\n[1] Not on Sunday'],
  ['breaks', 'One  \ntwo\\\nthree<br>four', 'One\ntwo\nthree\nfour'],
  [
    'tags',
    '<b>One</b> <em>two</em> <s>3</s> <a href="https://shop.example/a_b">site</a> m<sup>2</sup> <!-- x -->',
    '*One* _two_ ~3~ site (https://shop.example/a_b) m^2',
  ],
  ['escapes', 'snake\\_case \\$5 1\\. \\*x\\* &amp; &lt;x&gt;&nbsp;y', 'snake_case $5 1. *x* & <x> y'],
];

for (const [what, markdown, expected] of written)
  test(`writes ${what} in the notation of chats`, () => assert.equal(write(markdown), expected));

const plain = [
  '2*3*4 = 24, 3*4 and 5*6, (2+1)*3*(4), $5*2 = $10*1, 5 * 3 * 2, a*b; c*d',
  '2**3**4, x ** 2 and y ** 3, **kwargs',
  'snake_case_name, __init__, _x, https://shop.example/_a_b_/c*d* and www.shop.example/_x_, a_b_@shop.example',
  '¯\\_(ツ)_/¯ *_* ^_^ T_T >_< <3 :* \\o/ (*-*)',
  '5 < 6 > 4, <5 €, a<b>c, List<String>, <order number>, AT&T, &c.',
  'One\ntwo\n  three\n\nfour',
  '#1 choice, #tag, C#, [1], [x], {x}, a[0], f(x), [Monday]: closed',
  '~50 € to ~60 €, 9~17, 3~5',
  '+49 30 1234\n+ 49 30\n- 5 °C\n2024. A year\n5. 3. 2020',
  '\\\\server\\share, C:\\docs',
  '"Yes" – it’s 10 % off… 👍🏽',
  'Hotel 4* and 5*, *terms apply',
];

for (const text of plain) test(`keeps ${JSON.stringify(text)}`, () => assert.equal(write(text), text));

test('keeps the marks of the network in what the model quotes', () => {
  const isQuoted = (span: string) => span === '*Mon-Fri*';
  const text = 'Open *Mon-Fri* and *often*';
  assert.equal(writeMarkdown(text, { notation: chatNotation, isQuoted }), 'Open *Mon-Fri* and _often_');
});

test('another network needs only a notation', () => {
  const encode = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const tags = { bold: 'b', italic: 'i', strike: 's' };
  const html: Notation = {
    plain: encode,
    mark: (style, text) => `<${tags[style]}>${text}</${tags[style]}>`,
    code: (code) => `<code>${encode(code)}</code>`,
    codeBlock: (code) => `<pre>${encode(code)}</pre>`,
    link: (label, url) => `<a href="${encode(url)}">${label}</a>`,
  };
  assert.equal(
    writeMarkdown(`Wort**teil** & a < b [*site*](${shop}?x&y) \`<x>\``, { notation: html }),
    `Wort<b>teil</b> &amp; a &lt; b <a href="${shop}?x&amp;y"><i>site</i></a> <code>&lt;x></code>`,
  );
});

test('keeps text without marks, whatever it is', () => {
  const words = fc.stringMatching(/^[a-zA-ZäÖß0-9 .,;:!?%€$@/'"()+=-]{1,80}$/u);
  const lines = fc.array(words, { minLength: 1, maxLength: 6 }).map((texts) => texts.join('\n'));
  const normalize = (text: string) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .join('\n')
      .trim();
  fc.assert(
    fc.property(lines, (text) => {
      // Lines of dashes and equals signs are marks.
      fc.pre(!/^ *(?:[-=:] *)+$|^ {0,3}[-+] |^ *\d+[.)] /m.test(text) && !/ {2}$|\n\s*\n\s*\n/m.test(text));
      assert.equal(normalize(write(text)), normalize(text));
    }),
    { numRuns: 300 },
  );
});
