import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { presentHeaders, readHeaders } from './action-headers.ts';

const listProblems = (input: Parameters<typeof readHeaders>[0]) =>
  readHeaders(input, 'headers').issues.map(({ path, message }) => `${path} ${message}`);

test('reads a pair, a map and the form of get alike', () => {
  const one = [{ key: 'Authorization', value: 'Bearer x' }];
  assert.deepEqual(readHeaders({ key: 'Authorization', value: 'Bearer x' }, 'h'), {
    headers: one,
    issues: [],
  });
  assert.deepEqual(readHeaders({ Authorization: 'Bearer x' }, 'h'), { headers: one, issues: [] });
  assert.deepEqual(readHeaders({ key: 'Authorization', value: 'Bearer x', all: one }, 'h').headers, one);
  assert.deepEqual(readHeaders({ all: one }, 'h'), { headers: one, issues: [] });
});

test('reads an empty map or an empty pair as no header', () => {
  assert.deepEqual(readHeaders({}, 'h'), { headers: [], issues: [] });
  assert.deepEqual(readHeaders({ key: '', value: '' }, 'h'), { headers: [], issues: [] });
  assert.deepEqual(presentHeaders([]), { key: '', value: '' });
});

test('allows headers named `key` or `value` in a map that is not exactly that pair', () => {
  assert.deepEqual(readHeaders({ key: 'secret' }, 'h').headers, [{ key: 'key', value: 'secret' }]);
  assert.deepEqual(readHeaders({ key: 'a', value: 'b', 'X-More': 'c' }, 'h').headers, [
    { key: 'key', value: 'a' },
    { key: 'value', value: 'b' },
    { key: 'X-More', value: 'c' },
  ]);
});

test('reads the headers of get back unchanged', () => {
  const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,20}$/);
  const value = fc.stringMatching(/^[\t\x20-\x7e]{0,30}$/);
  const header = fc.record({ key: token.map((name) => `x-${name}`), value }, { noNullPrototype: true });
  const headers = fc.uniqueArray(header, { maxLength: 6, selector: ({ key }) => key.toLowerCase() });
  fc.assert(
    fc.property(headers, (all) => {
      assert.deepEqual(readHeaders({ ...presentHeaders(all) }, 'h'), { headers: all, issues: [] });
    }),
  );
});

test('allows only token characters in a header name', () => {
  for (let byte = 0; byte < 256; byte += 1) {
    const character = String.fromCharCode(byte);
    const allowed = /[!#$%&'*+.^_`|~0-9A-Za-z-]/.test(character);
    const name = `x-${character}-y`;
    assert.equal(listProblems({ [name]: 'v' }).length === 0, allowed, `byte ${byte} in a map`);
    assert.equal(listProblems({ key: name, value: 'v' }).length === 0, allowed, `byte ${byte} in a pair`);
  }
});

test('rejects control characters except the tab in a header value', () => {
  for (let byte = 0; byte < 256; byte += 1) {
    const control = (byte < 0x20 && byte !== 0x09) || byte === 0x7f;
    const value = `a${String.fromCharCode(byte)}b`;
    assert.equal(listProblems({ 'x-name': value }).length === 0, !control, `byte ${byte}`);
    assert.equal(
      listProblems({ all: [{ key: 'x-name', value }] }).length === 0,
      !control,
      `byte ${byte} in all`,
    );
  }
});

test('rejects headers of the connection in upper and lower case', () => {
  const names = [
    'Host',
    'content-length',
    'Transfer-Encoding',
    'CONNECTION',
    'Proxy-Authorization',
    'proxy-x',
  ];
  for (const name of names) {
    assert.deepEqual(listProblems({ [name]: 'v' }), [`headers "${name}" may not be set`]);
    assert.deepEqual(listProblems({ key: name, value: 'v' }), [`headers "${name}" may not be set`]);
  }
});

test('allows every other character in a header value', () => {
  assert.deepEqual(listProblems({ 'x-name': 'Größe\u0085 日本 😀' }), []);
});

test('rejects a duplicate name in any case', () => {
  assert.deepEqual(listProblems({ 'X-One': 'a', 'x-one': 'b' }), ['headers "x-one" is given twice']);
});

test('rejects a pair that contradicts `all`', () => {
  const all = [
    { key: 'A', value: '1' },
    { key: 'B', value: '2' },
  ];
  assert.deepEqual(listProblems({ key: 'A', value: 'changed', all }), [
    'headers.value must equal that of the first header in `all`',
  ]);
  assert.deepEqual(listProblems({ 'X-Other': 'x', all }), [
    'headers must not have other names besides `all`',
  ]);
});

test('rejects a value without a name', () => {
  assert.deepEqual(listProblems({ key: '', value: 'secret' }), ['headers.key is missing for the value']);
});
