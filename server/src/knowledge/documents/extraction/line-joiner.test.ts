import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLineJoiner } from './pdf-blocks.ts';

const join = (text: string, line: string, document: readonly string[] = []): string =>
  createLineJoiner(document).join(text, line);

describe('joining two lines of a paragraph', () => {
  it('puts one blank between them', () => {
    assert.equal(join('one ', ' two'), 'one two');
  });

  it('undoes hyphenation', () => {
    assert.equal(join('the ferry ter-', 'minal is open'), 'the ferry terminal is open');
    assert.equal(join('the ferry ter\u00ad', 'minal is open'), 'the ferry terminal is open');
  });

  it('keeps a hyphen if the document has the hyphenated word or both halves', () => {
    assert.equal(join('a self-', 'service shop', ['this is self-service here']), 'a self-service shop');
    assert.equal(
      join('a self-', 'service shop', ['our own self is at your service now']),
      'a self-service shop',
    );
  });

  it('removes a hyphen if the document has the whole word, even if it has both halves', () => {
    assert.equal(
      join('the key-', 'board is', ['a key and a board make one keyboard here']),
      'the keyboard is',
    );
  });

  it('keeps a hyphen that belongs to a number or a name', () => {
    assert.equal(join('platform 4-', 'west'), 'platform 4- west');
    assert.equal(join('Anne-', 'Marie'), 'Anne- Marie');
  });

  it('puts no blank between Chinese or Japanese lines', () => {
    assert.equal(join('営業時間は', '午前九時'), '営業時間は午前九時');
  });
});
