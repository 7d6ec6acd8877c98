import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { readQrCode } from '../../../scripts/demo/qr-code.ts';
import { newId } from '../../src/platform/shared/ids.ts';
import type { ApiBody } from '../api-client.ts';
import { newPhone } from '../devices.ts';
import { queryOnce } from '../embedded-members.ts';
import { eventually } from '../eventually.ts';
import type { TestNetwork } from '../simulated-network.ts';

interface Target {
  databaseUrl: string;
  network: TestNetwork;
  /** The addresses of the APIs at present. */
  apiUrls(): readonly string[];
  key: { key_id: string; key_secret: string };
}

interface Device {
  id: string;
  phone: string;
}

interface Sent extends Device {
  to: string;
  messageId: string;
  ms: number;
}

/** Clients that send, upload and publish, and contacts that ask. Any unexpected response fails the test. */
export interface Load {
  /** Resolves when every kind of work has been done several times more. */
  advance(): Promise<void>;
  /** Ends the load, and checks that nothing was lost or done twice. Returns a summary. */
  finish(): Promise<string>;
}

const senders = 4;
const askers = 2;
const question = 'Do you lend helmets?';

/** Sets up two bots and starts the load. One bot is published again and again. */
export async function startLoad(target: Target): Promise<Load> {
  const { network, databaseUrl } = target;
  const client = await signIn(target);
  const { team } = await client.request('POST', '/teams', {
    user: { name: 'Ada', email: 'ada@example.com' },
    team: { name: 'Harbour bicycles', plan_name: 'enterprise' },
  });
  await client.request('PATCH', `/teams/${team.id}`, { settings: { reply_delay_seconds: 0 } });
  const addBot = async (): Promise<string> =>
    (await client.request('POST', '/bots', { team_id: team.id, name: 'Desk' })).id;
  const publish = async (botId: string, answer: string): Promise<void> => {
    await client.request('PATCH', `/bots/${botId}`, { questions: [{ question, answer }] });
    await client.request('POST', `/bots/${botId}/publish`);
  };
  const addDevice = async (botId: string): Promise<Device> => {
    const device = { team_id: team.id, bot_id: botId, name: 'Desk' };
    const { id } = await client.request('POST', '/devices', device);
    await client.request('POST', `/devices/${id}/connect`);
    const { qr_code } = await client.request('GET', `/devices/${id}/status`);
    const phone = newPhone();
    assert.equal(await network.scan(readQrCode(qr_code), phone), 200);
    await eventually(async () =>
      assert.equal((await client.request('GET', `/devices/${id}/status`)).connected, true),
    );
    return { id, phone };
  };
  const [stable, changing] = [await addBot(), await addBot()];
  await publish(stable, 'Yes, with every bicycle.');
  await publish(changing, 'Yes, says version 0.');
  const devices = [await addDevice(stable), await addDevice(stable), await addDevice(stable)];
  const changingDevice = await addDevice(changing);

  const sent: Sent[] = [];
  const counts = { asked: 0, answers: 0, uploads: 0, publishes: 0 };
  let stopping = false;
  const loop = async (step: (n: number) => Promise<void>) => {
    for (let n = 0; !stopping; n += 1) await step(n);
  };

  const send = async (sender: number, n: number) => {
    const device = devices[(sender + n) % devices.length] ?? assert.fail();
    const to = `+1558${String(sender * 100_000 + n).padStart(7, '0')}`;
    const begun = performance.now();
    const { messageId } = await client.request('POST', '/send', {
      device_id: device.id,
      message: 'Your bicycle is ready',
      destination_number: to,
    });
    sent.push({ ...device, to, messageId, ms: performance.now() - begun });
  };

  /** Each question has a contact of its own, which must receive exactly this answer. */
  const ask = async ({ phone }: Device, answer: string) => {
    counts.asked += 1;
    const from = `+1559${String(counts.asked).padStart(7, '0')}`;
    await network.write({ from, to: phone, text: question, id: newId() });
    await eventually(async () => {
      const received = (await network.received(from, phone)).map(({ text, copies }) => ({ text, copies }));
      assert.deepEqual(received, [{ text: answer, copies: 1 }]);
    }, 60_000);
    counts.answers += 1;
  };

  const upload = async (n: number) => {
    const form = () => {
      const fields = new FormData();
      fields.append('team_id', team.id);
      fields.append('file', new Blob([`Bicycle ${n} stands at the harbour.`]), `bicycle-${n}.txt`);
      return fields;
    };
    await client.request('POST', '/documents', form);
    counts.uploads += 1;
  };

  /** A publish returns when every process uses the new version, so the next answer must come from it. */
  const publishAndAsk = async (n: number) => {
    const answer = `Yes, says version ${n + 1}.`;
    await publish(changing, answer);
    counts.publishes += 1;
    await ask(changingDevice, answer);
  };

  const loops = Promise.all([
    ...Array.from({ length: senders }, (_, sender) => loop((n) => send(sender, n))),
    ...Array.from({ length: askers }, (_, n) =>
      loop(() => ask(devices[n] ?? assert.fail(), 'Yes, with every bicycle.')),
    ),
    loop(upload),
    loop(publishAndAsk),
  ]).finally(() => {
    stopping = true;
  });
  // `finish` reports the error.
  loops.catch(() => undefined);

  const advance = async () => {
    const before = { sent: sent.length, ...counts };
    const hasAdvanced = eventually(async () => {
      if (stopping) return;
      assert.ok(sent.length > before.sent + 2 * senders, 'the sends stand still');
      assert.ok(counts.answers > before.answers + 2 * askers, 'the answers stand still');
      assert.ok(counts.uploads > before.uploads + 1, 'the uploads stand still');
      assert.ok(counts.publishes > before.publishes + 1, 'the publishes stand still');
    }, 60_000);
    await Promise.all([hasAdvanced, stopping ? loops : undefined]);
  };

  const finish = async (): Promise<string> => {
    stopping = true;
    await loops;
    const count = async (query: string): Promise<unknown> => (await queryOnce(databaseUrl, query))[0]?.['n'];
    await eventually(async () => {
      const open = `select count(*)::int as n from messages
        where direction = 'out' and status not in ('sent', 'delivered', 'read')`;
      assert.equal(await count(open), 0);
    }, 60_000);
    assert.equal(new Set(sent.map(({ messageId }) => messageId)).size, sent.length);
    for (const { to, phone } of sent) {
      const received = await network.received(to, phone);
      assert.deepEqual(
        received.map(({ copies }) => copies),
        [1],
        to,
      );
    }
    const messages = (origin: string) =>
      count(`select count(*)::int as n from messages where origin = '${origin}'`);
    assert.equal(await messages('api'), sent.length);
    assert.equal(await messages('contact'), counts.asked);
    assert.equal(await messages('bot'), counts.answers);
    assert.equal(counts.asked, counts.answers);
    assert.equal(
      await count(`select count(*)::int as n from documents where state = 'live'`),
      counts.uploads,
    );
    assert.equal(await count('select count(*)::int as n from embedded_provider.passages'), counts.uploads);
    const slowest = Math.max(...sent.map(({ ms }) => ms));
    return `${sent.length} sends (slowest ${Math.round(slowest)} ms), ${JSON.stringify(counts)}, ${client.retries()} retries`;
  };
  return { advance, finish };
}

interface Client {
  /** Returns the `data` of a 200. A form must be made for each attempt. */
  request(method: string, path: string, body?: object | (() => FormData)): Promise<ApiBody['data']>;
  retries(): number;
}

/** Goes round the APIs. Retries connection errors, and 503 with Retry-After, under the same Idempotency-Key. */
async function signIn({ apiUrls, key }: Target): Promise<Client> {
  let attempts = 0;
  let requests = 0;
  let token = '';
  const request: Client['request'] = async (method, path, body) => {
    requests += 1;
    const idempotencyKey = newId();
    const deadline = performance.now() + 60_000;
    for (;;) {
      attempts += 1;
      const urls = apiUrls();
      const sentBody = typeof body === 'function' ? body() : body === undefined ? null : JSON.stringify(body);
      const response = await fetch(
        `${urls[attempts % urls.length]}/api/openapi/${path.startsWith('/auth/') ? path.slice(1) : `v1${path}`}`,
        {
          method,
          headers: {
            ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
            ...(method === 'POST' && token !== '' ? { 'idempotency-key': idempotencyKey } : {}),
            ...(typeof sentBody === 'string' ? { 'content-type': 'application/json' } : {}),
          },
          body: sentBody,
        },
      ).catch(() => null);
      const isTemporary =
        response === null || (response.status === 503 && response.headers.get('retry-after') !== null);
      if (!isTemporary) {
        const answer = (await response.json()) as ApiBody;
        assert.equal(response.status, 200, `${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
        return answer.data;
      }
      assert.ok(performance.now() < deadline, `no API takes ${method} ${path}`);
      await response?.arrayBuffer();
      await delay(100);
    }
  };
  token = (await request('POST', '/auth/token', key)).access_token;
  return { request, retries: () => attempts - requests };
}
