import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeEndlessPdf } from '../../test/documents/make-pdf.ts';
import { startUploadApp } from '../../test/upload-app.ts';
import type { AssistantProvider } from '../adapters/assistant-provider/assistant-provider.ts';

/** In place of the 24 s that an upload has. */
const uploadDeadlineMs = 2_000;
/** For the answer to get here on a loaded machine. */
const marginMs = 1_500;

const never = (): Promise<never> => new Promise(() => undefined);
let hanging: keyof AssistantProvider | null = null;

const { createTeam, upload } = await startUploadApp({
  providerDeadlineMs: 60_000,
  uploadDeadlineMs,
  provider: (real) => ({
    ...real,
    putDocument: (...call) => (hanging === 'putDocument' ? never() : real.putDocument(...call)),
    documentStatus: (...call) => (hanging === 'documentStatus' ? never() : real.documentStatus(...call)),
  }),
});

/** The answer, which came within the deadline. */
async function inTime(parts: Parameters<typeof upload>[0]) {
  const askedAt = performance.now();
  const answer = await upload(parts);
  const ms = performance.now() - askedAt;
  assert.ok(ms < uploadDeadlineMs + marginMs, `answered after ${ms} ms`);
  return answer;
}

test('a provider that hangs has what is left of the whole time, not a time of its own', async () => {
  hanging = 'putDocument';
  const { status, body } = await inTime({ teamId: await createTeam() });
  assert.deepEqual([status, body.details.reason], [500, 'provider_unavailable']);
});

test('a provider that takes a document and then hangs has taken it', async () => {
  hanging = 'documentStatus';
  const { status, body } = await inTime({ teamId: await createTeam() });
  assert.deepEqual([status, body.data?.provider_status], [200, 'processing'], JSON.stringify(body));
});

test('a document that takes too long to read leaves nothing to wait for, and is told of as that', async () => {
  hanging = null;
  const content = new Uint8Array(makeEndlessPdf());
  const { status, body } = await inTime({ teamId: await createTeam(), name: 'endless.pdf', content });
  assert.deepEqual([status, body.details.reason], [503, 'overloaded']);
  assert.equal(body.error, 'There was no time left to read the document; try again');
});
