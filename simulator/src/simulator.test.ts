import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { SimulatorAlreadyRunning } from './data-lock.ts';
import { type Simulator, startSimulator } from './simulator.ts';
import { TestDevice } from './test-device.ts';

const silent = { info: () => {}, warn: () => {}, error: () => {} };
const phoneNumber = '+15550100';
const contactNumber = '+15550199';
const pngBytes = Buffer.from('\x89PNG\r\n\x1a\n and so on', 'latin1');

describe('the simulator', { timeout: 30_000 }, () => {
  let simulator: Simulator;
  let device: TestDevice;

  before(async () => {
    simulator = await startSimulator({
      dataDir: null,
      host: '127.0.0.1',
      port: 0,
      logger: silent,
      publicUrl: 'http://parley.test:3000',
    });
    device = await TestDevice.connect(simulator.url);
    await device.link((qr) => post('scan', { qr, phone_number: phoneNumber }));
  });
  after(async () => {
    device.close();
    await simulator.close();
  });

  interface ApiResponse {
    status: number;
    body: {
      success: boolean;
      code?: string;
      error?: string;
      details?: { reason: string; issues?: { path: string }[] };
      data?: unknown;
    };
  }

  async function readResponse(response: Response): Promise<ApiResponse> {
    // The tests below check the envelope.
    return { status: response.status, body: (await response.json()) as ApiResponse['body'] };
  }

  async function post(path: string, body: unknown, type = 'application/json'): Promise<ApiResponse> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { 'Content-Type': type };
    return readResponse(
      await fetch(`${simulator.url}/simulator/${path}`, { method: 'POST', headers, body: text }),
    );
  }

  async function get(path: string): Promise<ApiResponse> {
    return readResponse(await fetch(`${simulator.url}/simulator/${path}`));
  }

  async function chat(contact: string): Promise<Record<string, unknown>[]> {
    const { body } = await get(`messages?${new URLSearchParams({ contact, device: phoneNumber })}`);
    // The tests check the fields of the entries.
    return body.data as Record<string, unknown>[];
  }

  it('uses the public address in QR codes, and accepts a code with or without its link', async () => {
    for (const code of [(text: string) => text, (text: string) => new URL(text).searchParams.get('qr')]) {
      const other = await TestDevice.connect(simulator.url);
      await other.link(async (text) => {
        assert.ok(text.startsWith('http://parley.test:3000/simulator?qr='));
        const { status } = await post('scan', { qr: code(text), phone_number: '+15550101' });
        assert.equal(status, 200);
      });
      other.close();
    }
  });

  it('rejects an unknown code and a code that was already scanned', async () => {
    const other = await TestDevice.connect(simulator.url);
    await other.link((qr) => post('scan', { qr, phone_number: '+15550102' }));
    const { text } = await other.waitForSignal('qr');
    for (const qr of ['nonsense', 'http://parley.test:3000/simulator?qr=nonsense', text]) {
      const { status, body } = await post('scan', { qr, phone_number: '+15550103' });
      assert.equal(status, 400);
      assert.equal(body.code, 'BAD_REQUEST');
      assert.equal(body.details?.reason, 'qr_unknown');
    }
    other.close();
  });

  it('rejects a scan when the device refuses it or disconnects', async () => {
    for (const [react, reason] of [
      [(other: TestDevice) => other.send({ type: 'pairing', accept: false }), 'pairing_refused'],
      [(other: TestDevice) => other.close(), 'pairing_interrupted'],
    ] as const) {
      const other = await TestDevice.connect(simulator.url);
      other.send({ type: 'open', credential: null });
      const scanned = post('scan', { qr: (await other.waitForSignal('qr')).text, phone_number: '+15550104' });
      await other.waitForSignal('offer');
      react(other);
      const { status, body } = await scanned;
      assert.equal(status, 400);
      assert.equal(body.details?.reason, reason);
      other.close();
    }
  });

  it('reports every issue of a request at once', async () => {
    const { status, body } = await post('scan', { phone_number: '0123', color: 'red' });
    assert.equal(status, 400);
    assert.equal(body.success, false);
    assert.equal(body.code, 'BAD_REQUEST');
    assert.equal(body.details?.reason, 'validation');
    assert.deepEqual(body.details?.issues?.map(({ path }) => path).sort(), ['color', 'phone_number', 'qr']);
  });

  it('rejects invalid requests', async () => {
    for (const [path, body, type] of [
      ['scan', '{"qr":', 'application/json'],
      ['scan', 'qr=1', 'application/x-www-form-urlencoded'],
      ['scan', '', 'application/json'],
      ['scan', { qr: 5, phone_number: phoneNumber }, 'application/json'],
      ['messages', { from: contactNumber, to: phoneNumber }, 'application/json'],
      ['messages', { from: contactNumber, to: phoneNumber, text: '' }, 'application/json'],
      ['messages', { from: contactNumber, to: phoneNumber, image_base64: 'no base64!' }, 'application/json'],
      [
        'messages',
        { from: contactNumber, to: phoneNumber, image_base64: 'aGk=', audio_base64: 'aGk=' },
        'application/json',
      ],
      ['messages', { from: 'me', to: phoneNumber, text: 'hi' }, 'application/json'],
      ['messages', { from: contactNumber, to: phoneNumber, text: 'hi', id: 'a\u0000b' }, 'application/json'],
      ['messages', { from: contactNumber, to: phoneNumber, text: 'hi', id: 'a\nb' }, 'application/json'],
      ['messages', { from: contactNumber, to: phoneNumber, text: 'hi', id: '' }, 'application/json'],
      ['faults', { device: phoneNumber, fault: 'explode' }, 'application/json'],
      ['faults', { device: phoneNumber, fault: 'refuse_next', count: '1' }, 'application/json'],
    ] as const) {
      const response = await post(path, body, type);
      assert.equal(response.status, 400, JSON.stringify(body));
      assert.equal(response.body.code, 'BAD_REQUEST');
    }
    const twice = await get(`messages?contact=%2B15550199&contact=%2B15550198&device=%2B15550100`);
    assert.equal(twice.status, 400);
  });

  it('returns 404 for phones that were never linked and for unknown routes', async () => {
    const unknown = await post('messages', { from: contactNumber, to: '+15559999', text: 'hi' });
    assert.equal(unknown.status, 404);
    assert.equal(unknown.body.code, 'NOT_FOUND');
    assert.equal(unknown.body.details?.reason, 'phone_unknown');
    assert.equal((await post('faults', { device: '+15559999', fault: 'drop' })).status, 404);
    assert.equal((await get('nothing')).status, 404);
    assert.deepEqual((await get('messages?contact=%2B15550199&device=%2B15559999')).body.data, []);
  });

  it('stores a message id once', async () => {
    const message = { from: '+15550180', to: phoneNumber, text: 'hello', id: 'the-id' };
    assert.deepEqual((await post('messages', message)).body, { success: true, data: { id: 'the-id' } });
    assert.deepEqual((await post('messages', message)).body, { success: true, data: { id: 'the-id' } });
    const [entry, ...more] = await chat('+15550180');
    assert.deepEqual(more, []);
    assert.deepEqual(
      { ...entry, sent_at: null },
      {
        id: 'the-id',
        direction: 'in',
        kind: 'text',
        text: 'hello',
        mime_type: null,
        bytes: null,
        sent_at: null,
        copies: 2,
        received: false,
      },
    );
    for (;;) {
      const inbound = device.signals.find((signal) => signal.type === 'inbound' && signal.id === 'the-id');
      if (inbound?.type === 'inbound') {
        device.send({ type: 'received', delivery: inbound.delivery });
        break;
      }
      await setImmediate();
    }
    while ((await chat('+15550180'))[0]?.received !== true) await setImmediate();
  });

  it('stores media, detects their type and returns them', async () => {
    const contact = '+15550181';
    const ogg = Buffer.alloc(64);
    ogg.write('OggS');
    ogg.writeBigInt64LE(96_000n, 6);
    await post('messages', {
      from: contact,
      to: phoneNumber,
      image_base64: pngBytes.toString('base64'),
      text: 'look',
    });
    await post('messages', { from: contact, to: phoneNumber, audio_base64: ogg.toString('base64') });
    const [image, voice] = await chat(contact);
    assert.deepEqual(
      [image?.kind, image?.mime_type, image?.bytes, image?.text],
      ['image', 'image/png', pngBytes.length, 'look'],
    );
    assert.deepEqual([voice?.kind, voice?.mime_type], ['voice', 'audio/ogg; codecs=opus']);
    const query = new URLSearchParams({
      contact,
      device: phoneNumber,
      id: String(image?.id),
      direction: 'in',
    });
    const media = await fetch(`${simulator.url}/simulator/media?${query}`);
    assert.equal(media.headers.get('content-type'), 'image/png');
    assert.deepEqual(Buffer.from(await media.arrayBuffer()), pngBytes);
    const inbound = device.signals.filter(
      (signal) => signal.type === 'inbound' && signal.contact === contact,
    );
    const content = inbound[1]?.type === 'inbound' ? inbound[1].content : null;
    assert.equal(content?.kind === 'voice' && content.seconds, 2);
  });

  it('reports no length for a recording with an invalid one', async () => {
    const contact = '+15550188';
    const nonsense = Buffer.from(`OggS${'0'.repeat(25)}`);
    const unfinished = Buffer.alloc(64);
    unfinished.write('OggS');
    unfinished.writeBigInt64LE(-1n, 6);
    for (const recording of [nonsense, unfinished]) {
      const { status } = await post('messages', {
        from: contact,
        to: phoneNumber,
        audio_base64: recording.toString('base64'),
      });
      assert.equal(status, 200);
    }
    const lengths = () =>
      device.signals.flatMap((signal) =>
        signal.type === 'inbound' && signal.contact === contact && signal.content.kind === 'voice'
          ? [signal.content.seconds]
          : [],
      );
    while (lengths().length < 2) {
      await device.waitForSignal('inbound', device.signals.filter(({ type }) => type === 'inbound').length);
    }
    assert.deepEqual(lengths(), [0, 0]);
  });

  it('accepts an image of 16 MiB', async () => {
    const image = Buffer.alloc(16 * 1024 * 1024, pngBytes);
    const { status } = await post('messages', {
      from: '+15550182',
      to: phoneNumber,
      image_base64: image.toString('base64'),
    });
    assert.equal(status, 200);
    assert.equal((await chat('+15550182'))[0]?.bytes, image.length);
  });

  it('counts the copies of a message that a device resends', async () => {
    const send = { type: 'send', id: 'm1', to: '+15550183', content: { kind: 'text', text: 'hi' } } as const;
    device.send({ ...send, attempt: 1 });
    device.send({ ...send, attempt: 2 });
    await device.waitForSignal('ack', 1);
    const entries = await chat('+15550183');
    assert.equal(entries.length, 1);
    assert.equal(entries[0]?.copies, 2);
    assert.equal(entries[0]?.direction, 'out');
  });

  it('delays as many acknowledgements as the fault specifies', async () => {
    await post('faults', { device: phoneNumber, fault: 'delay_acks', count: 1, ms: 600_000 });
    const send = { type: 'send', to: '+15550184', content: { kind: 'text', text: 'hi' } } as const;
    device.send({ ...send, attempt: 11, id: 'slow' });
    device.send({ ...send, attempt: 12, id: 'fast' });
    while (!device.signals.some((signal) => signal.type === 'ack' && signal.attempt === 12)) {
      await device.waitForSignal('ack', device.signals.filter(({ type }) => type === 'ack').length);
    }
    assert.ok(!device.signals.some((signal) => signal.type === 'ack' && signal.attempt === 11));
    assert.deepEqual(
      (await chat('+15550184')).map(({ id }) => id),
      ['slow', 'fast'],
    );
  });

  it('separates the chats of two linked phones with the same contact', async () => {
    const other = await TestDevice.connect(simulator.url);
    await other.link((qr) => post('scan', { qr, phone_number: '+15550105' }));
    other.send({
      type: 'send',
      attempt: 1,
      id: 'x',
      to: phoneNumber,
      content: { kind: 'text', text: 'from bot to bot' },
    });
    await other.waitForSignal('ack');
    assert.equal((await chat('+15550105'))[0]?.direction, 'in');
    other.close();
  });

  it('lists the linked phones', async () => {
    const { body } = await get('phones');
    assert.ok(Array.isArray(body.data));
    assert.deepEqual(body.data[0], { phone_number: phoneNumber, connected: true });
  });

  it('rejects a scan by a banned phone', async () => {
    const other = await TestDevice.connect(simulator.url);
    await other.link((qr) => post('scan', { qr, phone_number: '+15550106' }));
    await post('faults', { device: '+15550106', fault: 'ban' });
    assert.equal((await other.waitForSignal('down')).reason, 'banned');
    const { body } = await post('scan', { qr: 'any', phone_number: '+15550106' });
    assert.equal(body.details?.reason, 'phone_banned');
    other.close();
  });

  it('closes only the connection that sends invalid frames', async () => {
    const other = await TestDevice.connect(simulator.url);
    const closed = other.closed();
    other.sendRaw('{{{');
    await closed;
    assert.equal((await get('phones')).status, 200);
    device.send({
      type: 'send',
      attempt: 20,
      id: 'still',
      to: '+15550185',
      content: { kind: 'text', text: 'here' },
    });
    while (!device.signals.some((signal) => signal.type === 'ack' && signal.attempt === 20)) {
      await device.waitForSignal('ack', device.signals.filter(({ type }) => type === 'ack').length);
    }
  });
});

it('locks a directory, reports the URL of the lock holder, and releases the lock when the start fails', async () => {
  const blocker = await startSimulator({ dataDir: null, host: '127.0.0.1', port: 0, logger: silent });
  const dataDir = await mkdtemp(join(tmpdir(), 'simulator-'));
  const options = { dataDir, host: '127.0.0.1', port: 0, logger: silent };
  const first = await startSimulator(options);
  await assert.rejects(
    startSimulator(options),
    (error) => error instanceof SimulatorAlreadyRunning && error.url === first.url,
  );
  await first.close();
  const usedPort = Number(new URL(blocker.url).port);
  await assert.rejects(startSimulator({ ...options, port: usedPort }), /EADDRINUSE/);
  const second = await startSimulator(options);
  await second.close();
  await blocker.close();
  await rm(dataDir, { recursive: true });
});
