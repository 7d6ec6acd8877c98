import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBoundedMap } from './bounded-map.ts';

test('drops the least recently used entry when full', () => {
  const map = createBoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.get('a');
  map.set('c', 3);
  assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [1, undefined, 3]);
});

test('forgets deleted and cleared entries', () => {
  const map = createBoundedMap<string, number>(5);
  map.set('a', 1);
  map.set('b', 2);
  map.delete('a');
  assert.deepEqual([map.get('a'), map.get('b')], [undefined, 2]);
  map.clear();
  assert.equal(map.get('b'), undefined);
});
