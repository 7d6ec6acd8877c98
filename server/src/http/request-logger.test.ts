import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '../shared/logger.ts';
import { RequestLogger } from './request-logger.ts';

test('creates the child logger with the first line only', () => {
  const lines: string[] = [];
  const parent = createLogger('info', { write: (line) => void lines.push(line) });
  let made = 0;
  const logger = new RequestLogger(() => {
    made += 1;
    return parent.child({ reqId: 'request-1' });
  });
  assert.equal(made, 0);
  logger.error({ err: new Error('away') }, 'request failed');
  logger.warn('slow');
  logger.debug('not at this level');
  assert.equal(made, 1);
  const said = lines.map((line) => JSON.parse(line));
  assert.deepEqual(
    said.map(({ level, reqId, msg }) => ({ level, reqId, msg })),
    [
      { level: 'error', reqId: 'request-1', msg: 'request failed' },
      { level: 'warn', reqId: 'request-1', msg: 'slow' },
    ],
  );
  assert.equal(said[0].err.message, 'away');
});
