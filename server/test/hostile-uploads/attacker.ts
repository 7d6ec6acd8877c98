/**
 * Sends hostile uploads until it receives a message. The thread has the lowest priority, because a real attacker uses
 * another machine.
 */
import { connect, type Socket } from 'node:net';
import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { AttackPlan, AttackReport } from './attack.ts';
import { hostileDocuments } from './hostile-documents.ts';
import { hostileForms } from './hostile-forms.ts';
import { field, file, multipartBody } from './multipart.ts';

interface Upload {
  what: string;
  contentType: string;
  body: Buffer;
}

const { url, token, teamId } = workerData as AttackPlan; // from `runDuringAttack`
const boundary = 'parley-attack';
const report: AttackReport = { answers: {}, odd: [] };
const stopped = new AbortController();

const ofDocument = (what: string, name: string, bytes: Uint8Array): Upload => ({
  what,
  contentType: `multipart/form-data; boundary=${boundary}`,
  body: multipartBody([field('team_id', teamId), file(name, bytes)], boundary),
});

async function send({ what, contentType, body }: Upload): Promise<void> {
  const response = await fetch(`${url}/api/openapi/v1/documents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': contentType },
    body,
    signal: stopped.signal,
  });
  const text = await response.text();
  report.answers[response.status] = (report.answers[response.status] ?? 0) + 1;
  // A 503 that sheds load is allowed.
  const isShed = response.status === 503 && text.includes('"overloaded"');
  if (response.status !== 200 && response.status !== 400 && !isShed)
    report.odd.push(`${what}: ${response.status} ${text}`);
}

/** Sends the first half of a body and hangs up. */
async function hangUp(upload: Upload): Promise<void> {
  const socket = begin(upload, upload.body.length / 2);
  await rest(500);
  socket.destroy();
}

/** Sends half of a body, then single bytes until the server closes the connection. */
async function drip(upload: Upload): Promise<void> {
  const socket = begin(upload, upload.body.length / 2);
  while (!socket.destroyed && !stopped.signal.aborted) {
    socket.write('x');
    await rest(50);
  }
  socket.destroy();
}

function begin({ contentType, body }: Upload, bytes: number): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => socket.destroy());
  socket.resume();
  socket.write(
    `POST /api/openapi/v1/documents HTTP/1.1\r\nhost: parley\r\nauthorization: Bearer ${token}\r\n` +
      `content-type: ${contentType}\r\ncontent-length: ${body.length}\r\n\r\n`,
  );
  socket.write(body.subarray(0, bytes));
  return socket;
}

const rest = (ms: number) => delay(ms, undefined, { signal: stopped.signal }).catch(() => undefined);

async function repeat(uploads: readonly Upload[], attack: (upload: Upload) => Promise<void>): Promise<void> {
  for (let n = 0; !stopped.signal.aborted; n += 1) {
    const upload = uploads[n % uploads.length];
    if (upload === undefined) return;
    try {
      await attack(upload);
    } catch (error) {
      if (!stopped.signal.aborted) report.odd.push(`${upload.what}: ${error}`);
    }
  }
}

os.setPriority(os.constants.priority.PRIORITY_LOW);
const documents = hostileDocuments().map(({ what, name, bytes }) => ofDocument(what, name, bytes));
const forms = hostileForms(teamId);
const large = ofDocument(
  'a text of twenty megabytes',
  'a.txt',
  Buffer.alloc(20 * 2 ** 20, 'All work and no play. '),
);
const endless = documents.filter(({ what }) => what === 'a PDF without end');
const rotated = (items: readonly Upload[], by: number): Upload[] => [
  ...items.slice(by),
  ...items.slice(0, by),
];

parentPort?.once('message', () => stopped.abort());
parentPort?.postMessage('begun');
await Promise.all([
  repeat(endless, send),
  ...Array.from({ length: 6 }, (_, n) => repeat(rotated(documents, n * 2), send)),
  ...Array.from({ length: 4 }, (_, n) => repeat(rotated(forms, n * 9), send)),
  repeat([large], send),
  ...Array.from({ length: 2 }, (_, n) => repeat(rotated(documents, n * 5), hangUp)),
  ...Array.from({ length: 4 }, () => repeat([large], drip)),
]);
parentPort?.postMessage(report);
