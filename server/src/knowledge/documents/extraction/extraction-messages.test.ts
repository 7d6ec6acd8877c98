import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeText, isPortion, parseEnd, parsePortion } from './extraction-messages.ts';

describe('the response of an extraction process', () => {
  it('consists of the portions of the text and an end', () => {
    const sections = [{ page: 1, heading: null, text: 'x'.repeat(40_000) }];
    const messages = [...encodeText({ sections, chars: 40_000 })];
    assert.deepEqual(messages.map(isPortion), [true, true, false]);
    const [first, second, end] = messages;
    assert.ok(first && second && end);
    const texts = [...parsePortion(first), ...parsePortion(second)].map(({ text }) => text);
    assert.equal(texts.join(''), sections[0]?.text);
    assert.deepEqual(parseEnd(end), { chars: 40_000 });
  });

  it('is rejected when it is malformed', () => {
    const portions = ['[{"page":0,"heading":null,"text":"x"}]', '[{"page":1}]', '[1]', '[', '{}'];
    for (const portion of portions) assert.throws(() => parsePortion(Buffer.from(portion)), portion);
    const ends = ['{"chars":-1}', '{"failure":"bored","message":""}', '{}', 'null', '1'];
    for (const end of ends) assert.throws(() => parseEnd(Buffer.from(end)), end);
  });
});
