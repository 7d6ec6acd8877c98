import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeStartError } from '../../process/start-errors.ts';
import { loadWhatsappNetwork } from './whatsapp-package.ts';

const logger = { debug: () => {}, warn: () => {}, error: () => {} };

test('explains how to install the optional package when it is missing', async () => {
  const missing = new URL('./no-such-package.ts', import.meta.url);
  await assert.rejects(loadWhatsappNetwork({ version: null, logger }, missing), (error) => {
    const lines = describeStartError(error).split('\n');
    return lines.length === 1 && /npm ci .*--prefix \S+packages\/whatsapp`/.test(lines[0] ?? '');
  });
});
