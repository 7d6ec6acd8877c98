import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import iconv from 'iconv-lite';
import {
  type CompoundEntry,
  makeCompoundFile,
  oldWordStream,
  type Stories,
  wordStreams,
} from '../../../../test/documents/make-doc.ts';
import { readDoc } from './read-doc.ts';

const letter = (): Promise<Buffer> =>
  readFile(new URL('../../../../test/fixtures/documents/letter.doc', import.meta.url));

const readText = async (file: Uint8Array): Promise<string> =>
  (await readDoc(file)).sections.map(({ text }) => text).join('\n\n');

const readStories = (stories: Stories): Promise<string> => readText(makeCompoundFile(wordStreams(stories)));

const rename = (entries: readonly CompoundEntry[], change: (name: string) => string): CompoundEntry[] =>
  entries.map(({ name, content }) => ({ name: change(name), content }));

describe('reading a document of Word 97', () => {
  it('returns its headings and paragraphs in all scripts', async () => {
    const { sections, chars } = await readDoc(await letter());
    const [first, second] = sections;
    assert.deepEqual(first, {
      page: null,
      heading: 'Delivery terms',
      text: 'We deliver “Müller’s” coffee to cafés in Kraków and Zürich within three working days.',
    });
    assert.equal(second?.heading, 'RETURNS');
    assert.match(second?.text ?? '', /Poland 7 euros\n\nFirst point\n\nSecond point\n\nПривет, 世界 😀$/);
    assert.ok(chars > 200);
  });

  for (const [length, text] of [
    ['a short', 'Open from 9 to 17.\r'],
    ['a long', 'Open from 9 to 17.\r'.repeat(2000)],
  ] as const) {
    it(`reads ${length} main stream`, async () => {
      const read = await readStories({ body: text });
      assert.equal(read, text.trim().replaceAll('\r', '\n\n'));
    });

    it(`takes the encryption flag of ${length} main stream from that stream`, async () => {
      const entries = wordStreams({ body: text });
      const stream = entries[0]?.content as Buffer; // the main stream
      stream.writeUInt16LE(stream.readUInt16LE(10) | 0x0100, 10);
      await assert.rejects(readDoc(makeCompoundFile(entries)), { reason: 'encrypted' });
    });
  }

  it('reads the documents that are embedded in it after its own text, and skips damaged and other objects', async () => {
    const inner = wordStreams({ body: 'Soak the rice for three hours.\r' });
    const nested = wordStreams({ body: 'Fry it.\r' });
    const objects: CompoundEntry[] = [
      { name: '_1', content: [...inner, { name: 'ObjectPool', content: [{ name: '_2', content: nested }] }] },
      { name: '_3', content: [{ name: 'Workbook', content: Buffer.from('no text') }] },
      { name: '_4', content: [{ name: 'WordDocument', content: Buffer.from('damaged') }] },
    ];
    const file = [{ name: 'ObjectPool', content: objects }, ...wordStreams({ body: 'Recipes\r' })];
    assert.equal(
      await readText(makeCompoundFile(file)),
      'Recipes\n\nSoak the rice for three hours.\n\nFry it.',
    );
  });

  for (const change of [(name: string) => name.toUpperCase(), (name: string) => name.toLowerCase()]) {
    it(`finds streams named like ${change('WordDocument')}`, async () => {
      assert.equal(
        await readText(makeCompoundFile(rename(wordStreams({ body: 'Hello.\r' }), change))),
        'Hello.',
      );
    });
  }

  it('reads text boxes and notes after the body, and headers and footers once before it', async () => {
    const read = await readStories({
      body: 'Prices\u0002 on request.\r',
      footnotes: '\u0002 Without tax.\r',
      margins: '\u0003\r\u0004\rShop Ltd\rPage 1\rShop Ltd\r12\r',
      comments: 'Ask Ann.\r',
      endnotes: '\u0002 Since May.\r',
      textBoxes: 'Closed on Sundays.\r',
    });
    assert.equal(
      read,
      'Shop Ltd\n\nPage 1\n\nPrices on request.\n\nClosed on Sundays.\n\nWithout tax.\n\nSince May.',
    );
  });

  it('returns the results of fields, nested ones included', async () => {
    const body =
      'See \u0013 HYPERLINK "https://shop.example" \u0014our site\u0015, page \u0013PAGE\u00147\u0015.\r' +
      '\u0013 IF \u0013 MERGEFIELD a \u0014x\u0015 = "x" "yes" \u0014yes\u0015 \u0013 TOC \u0014All\r';
    assert.equal(await readStories({ body }), 'See our site, page 7.\n\nyes TOC All');
  });

  it('keeps the base text of furigana', async () => {
    const body = '\u0013 EQ \\* jc2 \\* hps11 \\o\\ad(\\s\\up 10(とうきょう),東京)\u0015駅\r';
    assert.equal(await readStories({ body }), '東京駅');
  });

  it('reads special characters', async () => {
    const body = 'e\u001email, week\u001fend, a\u000bb\u0001\u0008\r\u0007x\u0007y\u0007\u0007Below\r';
    assert.equal(await readStories({ body }), 'e-mail, weekend, a\nb\n\nx y\n\nBelow');
  });

  it('leaves out deleted text', async () => {
    const file = makeCompoundFile(wordStreams({ body: 'Open on Monday Tuesday.\r' }, { start: 8, end: 15 }));
    assert.equal(await readText(file), 'Open on Tuesday.');
  });

  it('rejects a document whose pieces repeat the text', async () => {
    const entries = wordStreams({ body: 'x'.repeat(3000) });
    const stream = entries[0]?.content as Buffer; // the main stream
    const count = 100;
    const table = Buffer.alloc(4 * (count + 1) + 8 * count);
    for (let index = 0; index <= count; index += 1) table.writeUInt32LE(3000 * index, 4 * index);
    for (let index = 0; index < count; index += 1)
      table.writeUInt32LE(0x400, 4 * (count + 1) + 8 * index + 2);
    const pieces = Buffer.concat([Buffer.from([2, 0, 0, 0, 0]), table]);
    pieces.writeUInt32LE(table.length, 1);
    stream.writeUInt32LE(pieces.length, 0x1a6);
    stream.writeUInt32LE(3000 * count, 0x4c);
    const file = makeCompoundFile([
      { name: 'WordDocument', content: stream },
      { name: '1Table', content: pieces },
    ]);
    await assert.rejects(readDoc(file), { reason: 'too_large' });
  });

  it('rejects a truncated document and other files', async () => {
    await assert.rejects(readDoc((await letter()).subarray(0, 2000)));
    await assert.rejects(readDoc(Buffer.from('garbage')), { reason: 'unreadable' });
  });
});

describe('reading an older Word document', () => {
  const paragraphs = 'Öffnungszeiten: täglich von 9 bis 17 Uhr.\rÜber Mittag geschlossen.\r';
  const expected = paragraphs.trim().replaceAll('\r', '\n\n');

  it('reads Word 6 and 95', async () => {
    for (const magic of [0xa5dc, 0xa697, 0xa699]) {
      const content = oldWordStream(iconv.encode(paragraphs, 'windows-1252'), { magic });
      assert.equal(await readText(makeCompoundFile([{ name: 'WordDocument', content }])), expected);
    }
  });

  it('reads Word 2, which has no container', async () => {
    const text = iconv.encode(paragraphs, 'windows-1252');
    assert.equal(await readText(oldWordStream(text, { magic: 0xa5db, version: 45 })), expected);
  });

  it('rejects an encrypted one', async () => {
    const content = oldWordStream(Buffer.from('Hello'));
    content.writeUInt16LE(0x0100, 10);
    const file = makeCompoundFile([{ name: 'WordDocument', content }]);
    await assert.rejects(readDoc(file), { reason: 'encrypted' });
  });
});
