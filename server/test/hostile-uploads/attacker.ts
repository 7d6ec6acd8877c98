/**
 * Sends hostile uploads until it receives a message. The thread has the lowest priority, because a real attacker would
 * use another machine.
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
  title: string;
  contentType: string;
  body: Buffer;
}

const { url, token, teamId } = workerData as AttackPlan; // from `runDuringAttack`
const boundary = 'parley-attack';
const report: AttackReport = { statusCounts: {}, unexpected: [] };
const stopped = new AbortController();

const toUpload = (title: string, name: string, bytes: Uint8Array): Upload => ({
  title,
  contentType: `multipart/form-data; boundary=${boundary}`,
  body: multipartBody([field('team_id', teamId), file(name, bytes)], boundary),
});

async function send({ title, contentType, body }: Upload): Promise<void> {
  const response = await fetch(`${url}/api/openapi/v1/documents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': contentType },
    body,
    signal: stopped.signal,
  });
  const text = await response.text();
  report.statusCounts[response.status] = (report.statusCounts[response.status] ?? 0) + 1;
  if (response.status === 400 && report.statusCounts['400'] === 1) parentPort?.postMessage('refused');
  // A 503 from load shedding is allowed.
  const isShed = response.status === 503 && text.includes('"overloaded"');
  if (response.status !== 200 && response.status !== 400 && !isShed)
    report.unexpected.push(`${title}: ${response.status} ${text}`);
}

/** Sends the first half of a body, then closes the connection. */
async function hangUp(upload: Upload): Promise<void> {
  const socket = startUpload(upload, upload.body.length / 2);
  await pause(500);
  socket.destroy();
}

/** Sends half of a body, then single bytes until the server closes the connection. */
async function drip(upload: Upload): Promise<void> {
  const socket = startUpload(upload, upload.body.length / 2);
  while (!socket.destroyed && !stopped.signal.aborted) {
    socket.write('x');
    await pause(50);
  }
  socket.destroy();
}

function startUpload({ contentType, body }: Upload, bytes: number): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => socket.destroy());
  socket.resume();
  socket.write(
    `POST /api/openapi/v1/documents HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n` +
      `content-type: ${contentType}\r\ncontent-length: ${body.length}\r\n\r\n`,
  );
  socket.write(body.subarray(0, bytes));
  return socket;
}

const pause = (ms: number) => delay(ms, undefined, { signal: stopped.signal }).catch(() => undefined);

async function repeat(uploads: readonly Upload[], attack: (upload: Upload) => Promise<void>): Promise<void> {
  for (let n = 0; !stopped.signal.aborted; n += 1) {
    const upload = uploads[n % uploads.length];
    if (upload === undefined) return;
    try {
      await attack(upload);
    } catch (error) {
      if (!stopped.signal.aborted) report.unexpected.push(`${upload.title}: ${error}`);
    }
  }
}

os.setPriority(os.constants.priority.PRIORITY_LOW);
const documents = hostileDocuments().map(({ title, name, bytes }) => toUpload(title, name, bytes));
const forms = hostileForms(teamId);
const large = toUpload('a text of 20 MiB', 'a.txt', Buffer.alloc(20 * 2 ** 20, 'All work and no play. '));
const endless = documents.filter(({ title }) => title === 'an endless PDF');
const rotated = (items: readonly Upload[], by: number): Upload[] => [
  ...items.slice(by),
  ...items.slice(0, by),
];

parentPort?.once('message', () => stopped.abort());
parentPort?.postMessage('started');
await Promise.all([
  repeat(endless, send),
  ...Array.from({ length: 6 }, (_, n) => repeat(rotated(documents, n * 2), send)),
  ...Array.from({ length: 4 }, (_, n) => repeat(rotated(forms, n * 9), send)),
  repeat([large], send),
  ...Array.from({ length: 2 }, (_, n) => repeat(rotated(documents, n * 5), hangUp)),
  ...Array.from({ length: 4 }, () => repeat([large], drip)),
]);
parentPort?.postMessage(report);
