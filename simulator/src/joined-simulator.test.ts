import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { lockDirectory } from './data-lock.ts';
import { type JoinedSimulator, joinSimulator } from './joined-simulator.ts';
import { TestDevice } from './test-device.ts';

const PHONE = '+15550100';
const CONTACT = '+15550199';

describe('programs that share a simulated network', { timeout: 30_000 }, () => {
  let dataDir: string;
  let said: string[];
  const running = new Set<JoinedSimulator>();

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'simulator-'));
    said = [];
  });
  afterEach(async () => {
    for (const program of running) await program.close();
    running.clear();
    await rm(dataDir, { recursive: true });
  });

  async function start(port = 0): Promise<JoinedSimulator> {
    const logger = { info: (_: object, message: string) => said.push(message), warn() {}, error() {} };
    const program = await joinSimulator({ dataDir, host: '127.0.0.1', port, logger });
    running.add(program);
    return program;
  }

  /**
   * Below the ports that a system gives to who asks for any: between one that stops and its survivor, nobody else is given
   * this one.
   */
  async function startOnQuietPort(): Promise<JoinedSimulator> {
    for (;;) {
      try {
        return await start(randomInt(20_000, 32_000));
      } catch (error) {
        if (Object(error).code !== 'EADDRINUSE') throw error;
      }
    }
  }

  async function stop(program: JoinedSimulator): Promise<void> {
    running.delete(program);
    await program.close();
  }

  const starts = () => said.filter((message) => message.endsWith('is up')).length;

  /** Waits until the network has been started this many times. */
  async function untilStarted(times: number): Promise<void> {
    while (starts() < times) await turn();
  }

  async function untilReached(url: string): Promise<void> {
    while (!(await fetch(`${url}/simulator/phones`).then(Boolean, () => false))) await turn();
  }

  async function post(url: string, path: string, body: object): Promise<void> {
    const headers = { 'Content-Type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    assert.equal((await fetch(`${url}/simulator/${path}`, request)).status, 200);
  }

  it('share one simulator, which a surviving program takes over with its state and address', async () => {
    const programs = [await startOnQuietPort(), await start(), await start()];
    const [first] = programs;
    const url = first?.url() ?? '';
    assert.deepEqual(
      programs.map((program) => program.url()),
      [url, url, url],
    );
    const device = await TestDevice.connect(url);
    await device.link((qr) => post(url, 'scan', { qr, phone_number: PHONE }));
    for (const [stopped, program] of programs.slice(0, 2).entries()) {
      await post(url, 'messages', { from: CONTACT, to: PHONE, text: `before the end ${stopped}` });
      await stop(program);
      await untilReached(url);
    }
    const chat = await fetch(
      `${url}/simulator/messages?${new URLSearchParams({ contact: CONTACT, device: PHONE })}`,
    );
    const { data } = (await chat.json()) as { data: { text: string }[] };
    assert.deepEqual(
      data.map(({ text }) => text),
      ['before the end 0', 'before the end 1'],
    );
    device.close();
  });

  it('take it over at another address when the port is in use', async () => {
    const occupant = createServer().listen(0, '127.0.0.1');
    await once(occupant, 'listening');
    // A TCP server has a port.
    const { port } = occupant.address() as AddressInfo;
    const held = `http://127.0.0.1:${port}`;
    const lock = await lockDirectory(dataDir, Promise.resolve(held));
    const survivor = await start();
    assert.equal(survivor.url(), held);
    await lock.release();
    await untilStarted(1);
    assert.notEqual(survivor.url(), held);
    assert.equal((await start()).url(), survivor.url());
    occupant.close();
  });

  it('do not affect it when they only used it', async () => {
    await start();
    await stop(await start());
    assert.equal(starts(), 1);
  });
});
