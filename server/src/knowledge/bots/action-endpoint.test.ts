import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findEndpointProblem } from './action-rules.ts';
import { fillPlaceholders } from './placeholders.ts';

const good = [
  'https://api.example.com',
  'HTTPS://API.example.com:8443/orders/{{order_id}}?lang={{ language }}#x',
  'http://127.0.0.1/x',
  'http://[::1]:8080/',
  'https://bücher.example/ä?q=ü',
  'https://example.com?id={{order number}}',
  'https://example.com/{not-a-placeholder}/%20',
];

const bad: [string, RegExp][] = [
  ['', /http\(s\)/],
  ['ftp://example.com/x', /http\(s\)/],
  ['//example.com/x', /http\(s\)/],
  ['example.com/x', /http\(s\)/],
  ['https:example.com', /http\(s\)/],
  ['https:///example.com', /http\(s\)/],
  ['https:\\\\example.com\\x', /http\(s\)/],
  ['https://example.com:99999/', /http\(s\)/],
  ['https://exa mple.com/', /http\(s\)/],
  ['javascript:alert(1)', /http\(s\)/],
  ['{{scheme}}://example.com', /http\(s\)/],
  ['https://{{host}}/x', /placeholder/],
  ['https://api.{{host}}.example/x', /placeholder/],
  ['https://example.com:{{port}}/x', /placeholder/],
  ['https:///{{host}}/x', /http\(s\)/],
  ['https:\\\\{{host}}/x', /http\(s\)/],
  ['https://user:secret@example.com/', /credentials/],
  ['https://example.com@evil.example/', /credentials/],
  ['https://example.com/a b', /spaces/],
  ['https://example.com/a\r\nx: y', /spaces/],
  ['https://exam\tple.com/', /http\(s\)/],
  ['https://example.com/\u0000', /spaces/],
];

test('accepts http(s) URLs with placeholders after the host', () => {
  for (const endpoint of good) assert.equal(findEndpointProblem(endpoint), null, endpoint);
});

test('rejects other endpoints with the problem', () => {
  for (const [endpoint, message] of bad)
    assert.match(findEndpointProblem(endpoint) ?? 'taken', message, endpoint);
});

test('calls the same host for every encoded placeholder value', () => {
  const piece = fc.constantFrom(
    'https:',
    '//',
    '/',
    '\\',
    '?',
    '#',
    '@',
    ':',
    '{{x}}',
    'a.example',
    '\t',
    '.',
    '%2f',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.string(), (pieces, value) => {
      const endpoint = `http://h${pieces.join('')}`;
      if (findEndpointProblem(endpoint) !== null) return;
      const called = new URL(fillPlaceholders(endpoint, () => encodeURIComponent(value.toWellFormed())));
      const written = new URL(fillPlaceholders(endpoint, () => ''));
      assert.equal(called.origin, written.origin);
    }),
    { numRuns: 2000 },
  );
});
