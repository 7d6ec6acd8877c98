import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHosts } from './hosts.ts';

const hosts = createHosts(['parley.example.com', 'my_service']);

test('allows listed hosts, loopback names and addresses, with any port', () => {
  for (const host of [
    'parley.example.com',
    'Parley.Example.COM:8443',
    'my_service:3000',
    'localhost',
    'localhost:3000',
    'parley.localhost:3000',
    '127.0.0.1:3000',
    '192.168.1.20',
    '[::1]:3000',
    '[2001:db8::1]',
  ]) {
    assert.ok(hosts.allows(host), host);
    assert.ok(hosts.allows(host), `${host} again`);
  }
});

test('allows no other and no malformed host', () => {
  for (const host of [
    'rebound.example',
    'example.com',
    'evil.parley.example.com',
    'parley.example.com.evil.example',
    'localhost.evil.example',
    'notlocalhost',
    '127.0.0.1.evil.example',
    '127.1',
    '0x7f000001',
    'localhost, rebound.example',
    'localhost,localhost',
    'user@localhost',
    'localhost/path',
    'localhost:80:80',
    '::1',
    '[::1',
    '[localhost]',
    '',
    ' ',
  ]) {
    assert.ok(!hosts.allows(host), host);
    assert.ok(!hosts.allows(host), `${host} again`);
  }
});

test('recognizes requests that a browser sends for pages of other sites', () => {
  const host = 'localhost:3000';
  for (const headers of [
    { origin: 'http://evil.example' },
    { origin: 'http://localhost:8080' },
    { origin: 'http://localhost' },
    { origin: 'https://localhost:3000.evil.example' },
    { origin: 'null' },
    { origin: '' },
    { origin: 'http://localhost:3000', 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site' },
  ]) {
    assert.ok(hosts.areForeign({ host, ...headers }), JSON.stringify(headers));
  }
  for (const headers of [
    {},
    { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-origin' },
    { origin: 'https://parley.example.com' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-origin' },
  ]) {
    assert.ok(!hosts.areForeign({ host, ...headers }), JSON.stringify(headers));
  }
});
