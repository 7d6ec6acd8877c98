import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeEndlessPdf } from '../../../test/documents/make-pdf.ts';
import { startUploadApp } from '../../../test/upload-app.ts';
import type { AssistantProvider } from '../assistant-provider/assistant-provider.ts';

/** The default is 24 s. */
const uploadDeadlineMs = 2_000;
/** For the response on a loaded machine. */
const marginMs = 1_500;

const never = (): Promise<never> => new Promise(() => undefined);
let hanging: keyof AssistantProvider | null = null;

const { createTeam, upload } = await startUploadApp({
  providerDeadlineMs: 60_000,
  uploadDeadlineMs,
  provider: (real) => ({
    ...real,
    documentsIn: 'openai',
    putDocument: (...call) => (hanging === 'putDocument' ? never() : real.putDocument(...call)),
    documentStatus: (...call) => (hanging === 'documentStatus' ? never() : real.documentStatus(...call)),
  }),
});

async function uploadInTime(parts: Parameters<typeof upload>[0]) {
  const askedAt = performance.now();
  const response = await upload(parts);
  const ms = performance.now() - askedAt;
  assert.ok(ms < uploadDeadlineMs + marginMs, `responded after ${ms} ms`);
  return response;
}

test('limits a hanging provider to the rest of the upload deadline', async () => {
  hanging = 'putDocument';
  const { status, body } = await uploadInTime({ teamId: await createTeam() });
  assert.deepEqual([status, body.details.reason], [500, 'provider_unavailable']);
});

test('completes the upload if the provider stores the document and then hangs', async () => {
  hanging = 'documentStatus';
  const { status, body } = await uploadInTime({ teamId: await createTeam() });
  assert.deepEqual([status, body.data?.provider_status], [200, 'processing'], JSON.stringify(body));
});

test('reports a document that takes too long to read as overloaded', async () => {
  hanging = null;
  const content = new Uint8Array(makeEndlessPdf());
  const { status, body } = await uploadInTime({ teamId: await createTeam(), name: 'endless.pdf', content });
  assert.deepEqual([status, body.details.reason], [503, 'overloaded']);
  assert.equal(body.error, 'There was no time left to read the document; try again');
});
