import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import iconv from 'iconv-lite';
import { readTxt } from './read-txt.ts';

const text = 'Grüße aus Köln: für größere Mengen gelten übliche Preise, schöne Grüße 5.';

describe('reading a plain text', () => {
  for (const encoding of ['utf-8', 'utf-16le', 'utf-16be', 'utf-32le']) {
    it(`detects ${encoding} by its byte order mark and removes the mark`, () => {
      const read = readTxt(iconv.encode(text, encoding, { addBOM: true }));
      assert.deepEqual(read, { sections: [{ page: null, heading: null, text }], chars: text.length });
    });
  }

  for (const encoding of ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252']) {
    it(`detects ${encoding} without a mark`, () => {
      assert.equal(readTxt(iconv.encode(text, encoding)).sections[0]?.text, text);
    });
  }

  it('treats a single letter beyond ASCII as Western European', () => {
    assert.equal(readTxt(Buffer.from('caf\u00e9', 'latin1')).sections[0]?.text, 'café');
  });

  it('counts the code points of the unmodified file', () => {
    assert.equal(readTxt(Buffer.from('a  b\r\n\r\n\r\n😀\n')).chars, 12);
  });

  it('finds no text in blanks', () => {
    assert.deepEqual(readTxt(Buffer.from(' \n\t\n')), { sections: [], chars: 0 });
  });

  it('rejects bytes that are not text', () => {
    assert.throws(() => readTxt(Buffer.from([1, 0, 2])), { reason: 'unreadable' });
  });
});
