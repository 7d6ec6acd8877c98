import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { DatabaseNotReached } from '../../platform/database/connection-errors.ts';
import { callProvider } from './call-provider.ts';

test('blames the provider for its own failures only', async () => {
  const connection = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  for (const failure of [new Error('no'), connection])
    await assert.rejects(
      callProvider(1000, () => Promise.reject(failure)),
      { details: { reason: 'provider_unavailable' }, cause: failure },
    );
  for (const failure of [
    new pg.DatabaseError('invalid byte sequence', 21, 'error'),
    new DatabaseNotReached(null),
  ])
    await assert.rejects(
      callProvider(1000, () => Promise.reject(failure)),
      failure,
    );
});
