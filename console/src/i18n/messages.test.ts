import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { locales, pickLocale } from './locales.ts';

const src = fileURLToPath(new URL('..', import.meta.url));
const files = globSync('**/*.messages.ts', { cwd: src });

/** Lists the paths of all texts. A function's path ends with the number of its values. */
function listTexts(tree: object, path = ''): string[] {
  return Object.entries(tree).flatMap(([name, value]) => {
    const place = `${path}.${name}`;
    if (typeof value === 'object') return listTexts(value, place);
    return typeof value === 'function' ? `${place}(${value.length})` : place;
  });
}

const isBlank = (tree: object): boolean =>
  Object.values(tree).some((value) =>
    typeof value === 'object' ? isBlank(value) : typeof value === 'string' && value.trim() === '',
  );

test('every language has every text, and no text is blank', async () => {
  assert.ok(files.length > 0);
  for (const file of files) {
    const exported: Record<string, Record<string, object>> = await import(`${src}${file}`);
    const catalogues = Object.entries(exported).filter(([name]) => name.endsWith('Messages'));
    assert.ok(catalogues.length > 0, file);
    for (const [name, catalogue] of catalogues) {
      assert.deepEqual(Object.keys(catalogue).sort(), [...locales].sort(), `${file} ${name}`);
      for (const locale of locales) {
        const texts = catalogue[locale] ?? {};
        assert.deepEqual(
          listTexts(texts).sort(),
          listTexts(catalogue['en'] ?? {}).sort(),
          `${file} ${locale}`,
        );
        assert.ok(!isBlank(texts), `${file} ${locale} has a blank text`);
      }
    }
  }
});

test('picks the first language that the console speaks', () => {
  assert.equal(pickLocale(['fr-FR', 'pt-BR', 'de']), 'pt');
  assert.equal(pickLocale(['ja']), 'en');
  assert.equal(pickLocale([]), 'en');
});
