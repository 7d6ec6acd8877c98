import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesWords } from './matches-words.ts';

test('finds all words in any order, without regard to case and accents', () => {
  assert.ok(matchesWords('Configuración del equipo', 'EQUIPO configuracion'));
  assert.ok(matchesWords('API keys', 'ke'));
  assert.ok(matchesWords('Bots', ''));
  assert.ok(!matchesWords('API keys', 'api bots'));
});
