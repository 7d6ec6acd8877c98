import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { readCompoundFileEntries } from '../compound-file.ts';
import { readDoc } from './read-doc.ts';

const letter = (): Promise<Buffer> =>
  readFile(new URL('../../../test/fixtures/documents/letter.doc', import.meta.url));

describe('reading a Word 97 document', () => {
  it('returns its paragraphs in all scripts', async () => {
    const { sections, chars } = await readDoc(await letter());
    const text = sections.map((section) => section.text).join('\n\n');
    assert.match(
      text,
      /“Müller’s” coffee to cafés in Kraków and Zürich within three working days\.\n\n|days\.$/m,
    );
    assert.match(text, /Poland 7 euros\n\nFirst point\n\nSecond point\n\nПривет, 世界 😀$/);
    assert.equal(sections[1]?.heading, 'RETURNS');
    assert.ok(chars > 200);
  });

  it('rejects an encrypted document', async () => {
    const file = await letter();
    const stream = readCompoundFileEntries(file).find((entry) => entry.name === 'WordDocument');
    const flags = (stream?.offset ?? 0) + 10;
    file.writeUInt16LE(file.readUInt16LE(flags) | 0x0100, flags);
    await assert.rejects(readDoc(file), { reason: 'encrypted' });
  });

  it('rejects a truncated document', async () => {
    await assert.rejects(readDoc((await letter()).subarray(0, 2000)));
  });
});
