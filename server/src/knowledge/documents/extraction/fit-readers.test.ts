import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkMemory } from '../../../process/cli/deployment-checks.ts';
import { readConfig } from '../../../process/config.ts';
import { createExtractor } from './extractor.ts';
import { fitReaders } from './fit-readers.ts';

const DATABASE_URL = 'postgres://127.0.0.1/parley';
const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');
const api = readConfig({ ROLES: 'api', DATABASE_URL, ENCRYPTION_KEY, SIMULATOR_URL: 'http://127.0.0.1:1' });
const embedded = readConfig({});
const fit = (config: typeof api, mebibytes: number) => fitReaders(config, mebibytes * 2 ** 20);

test('starts no document reader that does not fit into the memory limit', () => {
  assert.deepEqual(fit(api, 400), { concurrency: 0, memoryMb: 0 });
  assert.deepEqual(fit(api, 671), { concurrency: 0, memoryMb: 0 });
  assert.deepEqual(fit(api, 672), { concurrency: 1, memoryMb: 160 });
  assert.deepEqual(fit(api, 1535), { concurrency: 1, memoryMb: 512 });
  assert.deepEqual(fit(api, 1536), { concurrency: 2, memoryMb: 512 });
});

test('shares the memory between the api, the worker and the embedded database', () => {
  assert.deepEqual(fit(embedded, 1087), { concurrency: 0, memoryMb: 0 });
  assert.deepEqual(fit(embedded, 1088), { concurrency: 1, memoryMb: 160 });
  assert.deepEqual(fit(embedded, 2816), { concurrency: 2, memoryMb: 512 });
});

test('starts all document readers on a system without a memory limit', () => {
  assert.deepEqual(fitReaders(embedded, 0), { concurrency: 2, memoryMb: 512 });
  assert.deepEqual(fitReaders(embedded, 2 ** 64), { concurrency: 2, memoryMb: 512 });
});

test('refuses documents without a reader', async () => {
  const extractor = createExtractor({
    ...fit(api, 400),
    processorMs: 1000,
    startPool: () => assert.fail('a reader was started'),
    logger: { info: () => undefined, warn: () => undefined },
  });
  await extractor.warmUp();
  await assert.rejects(extractor.extract({ type: 'txt', bytes: Buffer.from('Hello') }, { teamId: 'team' }), {
    reason: 'overloaded',
    message: 'This server has too little memory to read documents',
  });
  await extractor.close();
});

test('the doctor names the memory that all document readers need', () => {
  const limited = (mebibytes: number) => checkMemory(api, mebibytes * 2 ** 20);
  const fix = 'raise the memory limit to 1536 MiB';
  assert.deepEqual(limited(400), { warning: 'no document reader fits into the memory limit', fix });
  assert.deepEqual(limited(700), { warning: 'document readers that fit for each role: 1 of 188 MiB', fix });
  assert.equal(limited(2048), 'document readers that fit for each role: 2 of 512 MiB');
  assert.equal(checkMemory(api, 0), 'document readers that fit for each role: 2 of 512 MiB');
});
