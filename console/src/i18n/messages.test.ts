import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { defineMessages } from './define-messages.ts';
import { pickLocale } from './locales.ts';

const src = fileURLToPath(new URL('..', import.meta.url));
const files = globSync('**/*.messages.ts', { cwd: src });

/** Lists the texts by their paths. Functions are called with empty values. */
function listTexts(tree: object, path = ''): [string, string][] {
  return Object.entries(tree).flatMap(([name, value]): [string, string][] => {
    const place = `${path}.${name}`;
    if (typeof value === 'object') return listTexts(value, place);
    return [[place, typeof value === 'function' ? value(...Array(9).fill('')) : value]];
  });
}

const countWords = (text: string): number => text.match(/\p{L}{2,}/gu)?.length ?? 0;

test('every sentence is translated', async () => {
  assert.ok(files.length > 0);
  for (const file of files) {
    const exported: Record<string, Record<string, object>> = await import(`${src}${file}`);
    const catalogues = Object.entries(exported).filter(([name]) => name.endsWith('Messages'));
    assert.ok(catalogues.length > 0, file);
    for (const [, { en = {}, ...others }] of catalogues) {
      const english = new Map(listTexts(en));
      for (const [locale, texts] of Object.entries(others)) {
        for (const [path, text] of listTexts(texts)) {
          const isSame = text === english.get(path) && countWords(text) >= 3;
          assert.ok(text.trim() !== '', `${file} ${locale}${path} is blank`);
          assert.ok(!isSame, `${file} ${locale}${path} is English: ${text}`);
        }
      }
    }
  }
});

test('keeps a name from turning around the words beside it', () => {
  const deleteName = (name: string) => `Delete ${name}?`;
  const { en } = defineMessages(
    { deleteName },
    { es: { deleteName }, pt: { deleteName }, de: { deleteName } },
  );
  assert.equal(en.deleteName('Lumen'), 'Delete Lumen?');
  assert.equal(en.deleteName('Lu\u202emen'), 'Delete \u2068Lu\u202emen\u2069?');
});

test('picks the first language that the console speaks', () => {
  assert.equal(pickLocale(['fr-FR', 'pt-BR', 'de']), 'pt');
  assert.equal(pickLocale(['ja']), 'en');
  assert.equal(pickLocale([]), 'en');
});
