import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { lockDirectory } from './data-lock.ts';
import { type JoinedSimulator, joinSimulator } from './joined-simulator.ts';
import { TestDevice } from './test-device.ts';

const phoneNumber = '+15550100';
const contactNumber = '+15550199';

describe('programs that share a simulated network', { timeout: 30_000 }, () => {
  let dataDir: string;
  let logged: string[];
  const running = new Set<JoinedSimulator>();

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'simulator-'));
    logged = [];
  });
  afterEach(async () => {
    for (const program of running) await program.close();
    running.clear();
    await rm(dataDir, { recursive: true });
  });

  async function start(port = 0): Promise<JoinedSimulator> {
    const logger = { info: (_: object, message: string) => logged.push(message), warn() {}, error() {} };
    const program = await joinSimulator({ dataDir, host: '127.0.0.1', port, logger });
    running.add(program);
    return program;
  }

  /**
   * Starts on a port below the ephemeral range. The OS then does not assign the port to another process while no
   * simulator listens on it.
   */
  async function startOnFixedPort(): Promise<JoinedSimulator> {
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

  const countStarts = () => logged.filter((message) => message.endsWith('is up')).length;

  async function waitUntilStarted(times: number): Promise<void> {
    while (countStarts() < times) await nextTurn();
  }

  async function waitUntilReachable(url: string): Promise<void> {
    while (!(await fetch(`${url}/simulator/phones`).then(Boolean, () => false))) await nextTurn();
  }

  async function post(url: string, path: string, body: object): Promise<void> {
    const headers = { 'Content-Type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    assert.equal((await fetch(`${url}/simulator/${path}`, request)).status, 200);
  }

  it('share one simulator; another program takes over its state and address when it stops', async () => {
    const programs = [await startOnFixedPort(), await start(), await start()];
    const [first] = programs;
    const url = first?.url() ?? '';
    assert.deepEqual(
      programs.map((program) => program.url()),
      [url, url, url],
    );
    const device = await TestDevice.connect(url);
    await device.link((qr) => post(url, 'scan', { qr, phone_number: phoneNumber }));
    for (const [stopped, program] of programs.slice(0, 2).entries()) {
      await post(url, 'messages', {
        from: contactNumber,
        to: phoneNumber,
        text: `before the stop ${stopped}`,
      });
      await stop(program);
      await waitUntilReachable(url);
    }
    const chat = await fetch(
      `${url}/simulator/messages?${new URLSearchParams({ contact: contactNumber, device: phoneNumber })}`,
    );
    const { data } = (await chat.json()) as { data: { text: string }[] };
    assert.deepEqual(
      data.map(({ text }) => text),
      ['before the stop 0', 'before the stop 1'],
    );
    device.close();
  });

  it('take over the simulator at another address when the port is in use', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    // A TCP server has a port.
    const { port } = blocker.address() as AddressInfo;
    const blockedUrl = `http://127.0.0.1:${port}`;
    const lock = await lockDirectory(dataDir, Promise.resolve(blockedUrl));
    const survivor = await start();
    assert.equal(survivor.url(), blockedUrl);
    await lock.release();
    await waitUntilStarted(1);
    assert.notEqual(survivor.url(), blockedUrl);
    assert.equal((await start()).url(), survivor.url());
    blocker.close();
  });

  it('stop without affecting a simulator that another program runs', async () => {
    await start();
    await stop(await start());
    assert.equal(countStarts(), 1);
  });
});
