import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findVulnerable } from './advisories.ts';
import { findOtherLicences } from './licences.ts';

test('finds packages that are not under a permissive licence, but not tools', () => {
  const found = findOtherLicences({
    '': { license: 'GPL-3.0' },
    server: {},
    'node_modules/a': { license: 'MIT' },
    'node_modules/b': { license: '(GPL-2.0 OR Apache-2.0)' },
    'node_modules/c': { license: 'MIT AND GPL-3.0' },
    'node_modules/a/node_modules/@x/d': {},
    'node_modules/tool': { license: 'GPL-3.0', dev: true },
    'node_modules/@parley/server': { link: true },
  });
  assert.deepEqual(
    found.map((line) => line.split(':')[0]),
    ['c is under MIT AND GPL-3.0', '@x/d is under no licence'],
  );
});

test('finds locked versions with a known problem, nested ones included', () => {
  const known = [{ package: 'a', fixedIn: '2.10.1', problem: 'it breaks' }];
  const packages = {
    'node_modules/a': { version: '2.10.1' },
    'node_modules/b/node_modules/a': { version: '2.9.12' },
    'node_modules/c/node_modules/a': { version: '3.0.0-beta.1' },
    'node_modules/ba': { version: '1.0.0' },
  };
  assert.deepEqual(findVulnerable(packages, known), ['a 2.9.12: it breaks; use 2.10.1 or newer']);
});
