import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { TestDevice } from './test-device.ts';

const phoneNumber = '+15550100';
const contactNumber = '+15550199';

/** Runs in a process that the test kills. */
const programPath = `
  const { startSimulator } = await import(${JSON.stringify(new URL('./simulator.ts', import.meta.url).href)});
  const logger = { info() {}, warn() {}, error() {} };
  const { url } = await startSimulator({ dataDir: process.argv[1], host: '127.0.0.1', port: 0, logger });
  process.stdout.write(url);
`;

describe('a simulator that is killed', { timeout: 30_000 }, () => {
  let dataDir: string;
  let running: ChildProcess | null = null;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'simulator-'));
  });
  after(async () => {
    running?.kill('SIGKILL');
    await rm(dataDir, { recursive: true });
  });

  async function start(): Promise<string> {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', programPath, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running = child;
    const [url] = await once(child.stdout, 'data');
    return String(url);
  }

  async function kill(): Promise<void> {
    if (!running) throw new Error('no simulator is running');
    const exited = once(running, 'exit');
    running.kill('SIGKILL');
    await exited;
    running = null;
  }

  async function post(url: string, path: string, body: object): Promise<void> {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${url}/simulator/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 200);
  }

  it('keeps every link, message and confirmation that it acknowledged', async () => {
    const url = await start();
    const device = await TestDevice.connect(url);
    const credential = await device.link((qr) => post(url, 'scan', { qr, phone_number: phoneNumber }));
    for (const id of ['in-1', 'in-2', 'in-3']) {
      await post(url, 'messages', { from: contactNumber, to: phoneNumber, text: id, id });
    }
    const image = Buffer.from('\x89PNG image', 'latin1').toString('base64');
    await post(url, 'messages', { from: contactNumber, to: phoneNumber, image_base64: image, id: 'in-4' });
    const { delivery } = await device.waitForSignal('inbound');
    device.send({ type: 'received', delivery });
    // The acknowledged message follows the confirmation in the journal, so the confirmation is on disk too.
    device.send({
      type: 'send',
      attempt: 1,
      id: 'out-1',
      to: contactNumber,
      content: { kind: 'text', text: 'hi' },
    });
    await device.waitForSignal('ack');
    await kill();
    await device.closed();
    await appendFile(join(dataDir, 'journal.jsonl'), '{"type":"message","at":"20');

    const restartedUrl = await start();
    const reconnected = await TestDevice.connect(restartedUrl);
    reconnected.send({ type: 'open', credential });
    assert.equal((await reconnected.waitForSignal('up')).phone, phoneNumber);
    const redelivered = [
      await reconnected.waitForSignal('inbound'),
      await reconnected.waitForSignal('inbound', 1),
      await reconnected.waitForSignal('inbound', 2),
    ];
    assert.deepEqual(
      redelivered.map(({ id }) => id),
      ['in-2', 'in-3', 'in-4'],
    );
    const content = redelivered[2]?.content;
    assert.equal(content?.kind === 'image' && content.base64, image);
    reconnected.send({
      type: 'send',
      attempt: 1,
      id: 'out-1',
      to: contactNumber,
      content: { kind: 'text', text: 'hi' },
    });
    await reconnected.waitForSignal('ack');
    const query = new URLSearchParams({ contact: contactNumber, device: phoneNumber });
    const response = await fetch(`${restartedUrl}/simulator/messages?${query}`);
    // The assertion below checks these fields.
    const { data } = (await response.json()) as { data: { id: string; copies: number }[] };
    assert.deepEqual(
      data.map(({ id, copies }) => [id, copies]),
      [
        ['in-1', 1],
        ['in-2', 1],
        ['in-3', 1],
        ['in-4', 1],
        ['out-1', 2],
      ],
    );
    reconnected.close();
  });
});
