import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { startChatApp } from '../../test/chats.ts';
import { newPhone } from '../../test/devices.ts';
import { eventually } from '../../test/eventually.ts';
import { newId } from '../platform/shared/ids.ts';
import type {
  InboundMessage,
  MessageContent,
  MessagingNetwork,
  OutboundMessage,
  SessionEvents,
} from '../ports/messaging-network/messaging-network.ts';
import { startPool } from './pool.ts';

const app = await startChatApp();
const { db } = app.context;
app.startAnswering();

/** A network whose events the test emits. */
function manualNetwork() {
  const up = Promise.withResolvers<SessionEvents>();
  const sent: OutboundMessage[] = [];
  const network: Pick<MessagingNetwork, 'openSession'> = {
    openSession({ events }) {
      queueMicrotask(() => void events.up({ phoneNumber: newPhone() }).then(() => up.resolve(events)));
      return {
        send: async (message) => void sent.push(message),
        logout: async () => undefined,
        close: () => events.down('closed'),
      };
    },
  };
  return { network, events: up.promise, sent };
}

const errors: Record<string, unknown>[] = [];
const logger = {
  info() {},
  warn() {},
  error: (line: Record<string, unknown>) => void errors.push(line),
};

async function connectedDesk() {
  const desk = await app.addDevice();
  const ended = newId();
  await sql`
    insert into pools (id, url, capacity, devices, lease_until, draining, ended)
    values (${ended}, 'http://past', 1, 1, now() - interval '1 minute', true, true)`.execute(db);
  await sql`update devices set pool_id = ${ended} where id = ${desk.deviceId}`.execute(db);
  const { network, events, sent } = manualNetwork();
  const pool = await startPool({
    ...app.context,
    logger: Object.assign(Object.create(app.context.logger), logger),
    leaseDb: db,
    network,
    config: { host: '127.0.0.1', port: 0, url: null, capacity: 9, leaseSeconds: 15, pollMs: 100 },
  });
  after(() => pool.close());
  return { ...desk, events: await events, sent };
}

const plain = (contactNumber: string, text: string): InboundMessage => ({
  networkId: newId(),
  contactNumber,
  fromMe: false,
  sentAt: new Date(),
  content: { kind: 'text', text },
});

const desk = await connectedDesk();

/** Checks that the bot still answers a message. */
async function waitForAnswer(): Promise<void> {
  const contact = newPhone();
  await desk.events.inbound(plain(contact, 'hello'));
  await eventually(async () => assert.ok(desk.sent.some(({ to }) => to === contact)));
}

/** Exceeds the size of an index entry, because it does not compress. */
const tooLong = randomBytes(9000).toString('base64');
const words = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom('\0', 'a\0b', '\ud83d', '😀'.repeat(70_000), '\0'.repeat(5000), '', '\r\n: /', tooLong),
);
const anyBytes = fc.uint8Array({ maxLength: 3000 });
const media = { mimeType: words, bytes: anyBytes };
const contents: fc.Arbitrary<MessageContent> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text: words }),
  fc.record({ kind: fc.constant('image' as const), ...media, caption: words }),
  fc.record({ kind: fc.constant('document' as const), ...media, fileName: words, caption: words }),
  fc.record({
    kind: fc.constant('voice' as const),
    ...media,
    seconds: fc.oneof(fc.double(), fc.integer(), fc.constantFrom(72_340_172_838_077, -1, 1.5)),
    waveform: anyBytes,
  }),
  // A kind that this program does not know.
  fc.record({ kind: fc.constant('sticker' as 'text'), text: words }),
);
const hostileMessages: fc.Arbitrary<InboundMessage> = fc.record({
  networkId: words,
  contactNumber: fc.oneof(words, fc.constantFrom('+15550166')),
  fromMe: fc.boolean(),
  sentAt: fc.oneof(
    fc.date({ noInvalidDate: false }),
    fc.constantFrom(new Date(8.64e15), new Date(-8.64e15), new Date(Number.NaN)),
  ),
  content: contents,
});

test('no hostile message keeps later messages from being answered', async () => {
  await fc.assert(
    fc.asyncProperty(hostileMessages, async (message) => {
      await desk.events.inbound(message);
      await desk.events.inbound(message);
    }),
    { numRuns: 150 },
  );
  await waitForAnswer();
  assert.deepEqual(errors, [], 'all were stored unchanged');
});
