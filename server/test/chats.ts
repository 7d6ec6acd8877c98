import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { after } from 'node:test';
import { sql } from 'kysely';
import type { AssistantProvider } from '../src/adapters/assistant-provider/assistant-provider.ts';
import type { MessageContent } from '../src/adapters/messaging-network/messaging-network.ts';
import { type Answering, type AnsweringOptions, startAnswering } from '../src/answering/answering.ts';
import { askRoutes } from '../src/answering/ask.routes.ts';
import { type CallAction, createActionCaller } from '../src/answering/call-action.ts';
import { botRoutes } from '../src/bots/bots.routes.ts';
import { type AnsweringBots, createAnsweringBots } from '../src/bots/published-bot.ts';
import type { Foundations } from '../src/compose.ts';
import { conversationRoutes } from '../src/conversations/conversations.routes.ts';
import { recordInbound } from '../src/conversations/inbound.ts';
import { createOutbound } from '../src/outbound/outbound.ts';
import { newId } from '../src/shared/ids.ts';
import { addBot, addTeam } from './bots.ts';
import { eventually } from './eventually.ts';
import { startTestApp, type TestApp } from './harness.ts';

/** An api with bots that can be asked, and what a worker needs to answer on their devices. */
export interface ChatApp extends TestApp {
  bots: AnsweringBots;
  callAction: CallAction;
}

const providerDeadlineMs = 3000;

/** `provider` may come between and the real one; actions reach loopback. */
export async function startChatApp(
  options: { provider?: (real: AssistantProvider) => AssistantProvider } = {},
): Promise<ChatApp> {
  const callAction = createActionCaller({ outbound: createOutbound({ allowedHosts: ['127.0.0.1'] }) });
  const made: AnsweringBots[] = [];
  const app = await startTestApp({
    routes: (foundations) => {
      const provider = options.provider?.(foundations.provider) ?? foundations.provider;
      const bots = createAnsweringBots({ ...foundations, provider, providerDeadlineMs });
      made.push(bots);
      return [
        botRoutes({ ...foundations, providerDeadlineMs }),
        conversationRoutes(foundations),
        askRoutes({ ...foundations, provider, bots, callAction, providerDeadlineMs }),
      ];
    },
  });
  const [bots] = made;
  if (bots === undefined) throw new Error('the routes were not asked for');
  return { ...app, bots, callAction };
}

/** A worker on the app's database, closed after the tests unless the test closes it. */
export function startTestAnswering(app: ChatApp, options: Partial<AnsweringOptions> = {}): Answering {
  const { foundations, bots, callAction } = app;
  const answering = startAnswering({
    ...foundations,
    bots,
    callAction,
    extractor: { extract: async () => ({ sections: [], chars: 0 }) },
    pollMs: 50,
    graceMs: 100,
    ...options,
  });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= answering.close();
    return closing;
  };
  after(close);
  return { close };
}

/** A device of a team of its own, with a published bot. */
export interface Desk {
  teamId: string;
  botId: string;
  deviceId: string;
}

export async function addDesk(
  app: ChatApp,
  bot: object = {},
  settings: Record<string, unknown> = {},
): Promise<Desk> {
  const { db } = app.foundations;
  const teamId = await addTeam(app.foundations);
  await sql`
    update teams set settings = ${JSON.stringify({ reply_delay_seconds: 0, ...settings })}::jsonb
    where id = ${teamId}`.execute(db);
  const { id: botId } = await addBot(app, teamId, bot);
  const { status, body } = await app.api('POST', `/bots/${botId}/publish`);
  assert.equal(status, 200, JSON.stringify(body));
  const deviceId = newId();
  await sql`
    insert into devices (id, team_id, bot_id, name, status, pool_id, pool_url)
    values (${deviceId}, ${teamId}, ${botId}, 'Desk', 'started', ${newId()}, 'http://127.0.0.1:1')`.execute(
    db,
  );
  return { teamId, botId, deviceId };
}

/** A contact writes to a device, or (`fromMe`) a person does from the linked phone. */
export async function write(
  { db, notifications }: Pick<Foundations, 'db' | 'notifications'>,
  { deviceId }: Desk,
  contactNumber: string,
  content: string | MessageContent,
  { fromMe = false }: { fromMe?: boolean } = {},
): Promise<void> {
  const conversation = await db.transaction().execute((tx) =>
    recordInbound(
      tx,
      { deviceId },
      {
        networkId: newId(),
        contactNumber,
        fromMe,
        sentAt: new Date(),
        content: typeof content === 'string' ? { kind: 'text', text: content } : content,
      },
    ),
  );
  if (conversation !== null) notifications.publish('conversation-due', conversation);
}

export interface ChatMessage {
  direction: 'in' | 'out';
  kind: string;
  status: string;
  text: string;
  answer_id: string | null;
}

/** Everything in one chat, in order. */
export async function chatOf(
  { db }: Pick<Foundations, 'db'>,
  { deviceId }: Desk,
  contactNumber: string,
): Promise<ChatMessage[]> {
  const { rows } = await sql<ChatMessage>`
    select direction, kind, status, text, answer_id from messages
    where device_id = ${deviceId} and contact_number = ${contactNumber} order by seq`.execute(db);
  return rows;
}

/** The bot's words, as soon as there are so many of its messages. */
export function untilReplied(
  foundations: Pick<Foundations, 'db'>,
  desk: Desk,
  contactNumber: string,
  count = 1,
): Promise<string[]> {
  return eventually(async () => {
    const chat = await chatOf(foundations, desk, contactNumber);
    const replies = chat.filter(({ direction }) => direction === 'out').map(({ text }) => text);
    assert.equal(replies.length, count, JSON.stringify(chat));
    return replies;
  });
}

export async function conversationOf(
  { db }: Pick<Foundations, 'db'>,
  { deviceId }: Desk,
  contactNumber: string,
) {
  return db
    .selectFrom('conversations')
    .selectAll()
    .where('device_id', '=', deviceId)
    .where('contact_number', '=', contactNumber)
    .executeTakeFirstOrThrow();
}

/** Credits that a team has used in all. */
export async function creditsUsed(
  { db }: Pick<Foundations, 'db'>,
  { teamId }: Pick<Desk, 'teamId'>,
): Promise<number> {
  const { rows } = await sql<{ credits: number }>`
    select coalesce(sum(credits), 0)::int as credits from monthly_usage where team_id = ${teamId}`.execute(
    db,
  );
  return rows[0]?.credits ?? 0;
}

export interface TestService {
  /** Without a path. */
  url: string;
  requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
}

/** A partner's service on loopback, that remembers what it was asked. */
export async function startTestService(answer: RequestListener): Promise<TestService> {
  const requests: TestService['requests'] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the service has no port');
  return { url: `http://127.0.0.1:${address.port}`, requests };
}
