import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkConfig } from './config-check.ts';

const check = async (environment: Record<string, string>) => {
  const lines: string[] = [];
  const code = await checkConfig({
    environment,
    values: {},
    parameters: [],
    print: (line) => void lines.push(line),
  });
  assert.equal(code, 0);
  return lines;
};

test('rejects roles with which the service would not start', async () => {
  await assert.rejects(
    check({ ROLES: 'apl' }),
    /ROLES: must be one of api, pool, worker, simulator, not "apl"/,
  );
  await assert.rejects(check({ ROLES: 'api' }), /SIMULATOR_URL: is required unless/);
  const lines = await check({ ROLES: 'api', SIMULATOR_URL: 'http://127.0.0.1:4000' });
  assert.deepEqual(lines, [
    '  ROLES          api',
    '  SIMULATOR_URL  http://127.0.0.1:4000',
    'The configuration is valid.',
  ]);
});
