import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { after } from 'node:test';
import { type Selectable, sql } from 'kysely';
import { type Answering, type AnsweringOptions, startAnswering } from '../src/chat/answering/answering.ts';
import { askRoutes } from '../src/chat/answering/ask.routes.ts';
import { type CallAction, createActionCaller } from '../src/chat/answering/call-action.ts';
import { messageAnswerRoutes } from '../src/chat/answering/message-answer.routes.ts';
import { tryActionRoutes } from '../src/chat/answering/try-action.routes.ts';
import { unansweredRoutes } from '../src/chat/answering/unanswered.routes.ts';
import { conversationRoutes } from '../src/chat/conversations/conversations.routes.ts';
import { recordInbound } from '../src/chat/conversations/inbound.ts';
import { messageRoutes } from '../src/chat/messages/messages.routes.ts';
import { listMessages } from '../src/chat/messages/messages.ts';
import type { AssistantProvider } from '../src/knowledge/assistant-provider/assistant-provider.ts';
import { type BotLoader, createBotLoader } from '../src/knowledge/bots/bot-loader.ts';
import { botRoutes } from '../src/knowledge/bots/bots.routes.ts';
import type { DB } from '../src/platform/database/schema.generated.ts';
import { createOutbound } from '../src/platform/outbound/outbound.ts';
import { newId } from '../src/platform/shared/ids.ts';
import { getUrl } from '../src/platform/shared/listening.ts';
import type { MessageContent, MessageDetails } from '../src/ports/messaging-network/messaging-network.ts';
import { analyticsRoutes } from '../src/quality/analytics/analytics.routes.ts';
import { caseRoutes } from '../src/quality/cases/cases.routes.ts';
import { gateRoutes } from '../src/quality/gate/gate.routes.ts';
import { createGateCheck } from '../src/quality/gate/gate.ts';
import { healthRoutes } from '../src/quality/health/health.routes.ts';
import { previewRoutes } from '../src/quality/preview/preview.routes.ts';
import { runRoutes } from '../src/quality/runs/runs.routes.ts';
import { usageRoutes } from '../src/tenancy/usage/usage.routes.ts';
import { addBot, addTeam } from './bots.ts';
import { eventually } from './eventually.ts';
import { startTestApp, type TestApp, type TestContext } from './harness.ts';

const providerDeadlineMs = 3000;

/** An API for bots and conversations, with functions to chat as a contact. */
export interface ChatApp extends TestApp, Chats {
  bots: BotLoader;
  callAction: CallAction;
}

/** `provider` may wrap the real provider. Actions may call loopback. */
export async function startChatApp(
  options: {
    provider?: (real: AssistantProvider) => AssistantProvider;
    environment?: Record<string, string>;
  } = {},
): Promise<ChatApp> {
  const callAction = createActionCaller({ outbound: createOutbound({ allowedHosts: ['127.0.0.1'] }) });
  const wrapProvider = options.provider ?? ((real: AssistantProvider) => real);
  const loaders: BotLoader[] = [];
  const app = await startTestApp({
    ...(options.environment === undefined ? {} : { environment: options.environment }),
    routes: (context) => {
      const provider = wrapProvider(context.provider);
      const bots = createTestBots({ ...context, provider });
      loaders.push(bots);
      return [
        botRoutes({ ...context, providerDeadlineMs, checkGate: createGateCheck(context.db) }),
        caseRoutes(context),
        runRoutes(context),
        gateRoutes(context),
        analyticsRoutes(context),
        previewRoutes(context),
        healthRoutes(context),
        conversationRoutes(context),
        messageRoutes(context),
        messageAnswerRoutes(context),
        unansweredRoutes(context),
        usageRoutes(context),
        askRoutes({ ...context, provider, bots, callAction, providerDeadlineMs }),
        tryActionRoutes({ ...context, callAction }),
      ];
    },
  });
  const [bots] = loaders;
  if (bots === undefined) throw new Error('no routes were created');
  const context = { ...app.context, provider: wrapProvider(app.context.provider) };
  const chatApp = { ...app, context, bots, callAction };
  return { ...chatApp, ...createChats(chatApp) };
}

/** Creates a bot loader like that of another process. */
export const createTestBots = (context: TestContext): BotLoader =>
  createBotLoader({ ...context, providerDeadlineMs });

/** A device with a published bot, in its own team. */
export interface ChatDevice {
  teamId: string;
  botId: string;
  deviceId: string;
}

export interface ChatMessage {
  direction: 'in' | 'out';
  kind: string;
  status: string;
  text: string;
  answer_id: string | null;
}

/** Actions of contacts and workers in an app's chats. */
export interface Chats {
  /** Starts a worker on the app's database. It is closed after the tests. */
  startAnswering(options?: TestAnsweringOptions): Answering;
  addDevice(bot?: object, settings?: Record<string, unknown>): Promise<ChatDevice>;
  /** Records a message from a contact, or with `fromMe` from a person at the linked phone. */
  write(
    device: ChatDevice,
    contactNumber: string,
    content: string | MessageContent,
    options?: {
      fromMe?: boolean;
      networkId?: string;
      sentAt?: Date;
      details?: MessageDetails;
      contactName?: string;
    },
  ): Promise<void>;
  /** Returns all messages of a chat, in order. */
  readChat(device: ChatDevice, contactNumber: string): Promise<ChatMessage[]>;
  /** Returns the `outcome` of the first message of a chat, as the API shows it, with its reason. */
  readOutcome(device: ChatDevice, contactNumber: string): Promise<string | null>;
  /** Waits for this number of replies and returns their texts. */
  untilReplied(device: ChatDevice, contactNumber: string, count?: number): Promise<string[]>;
  readConversation(device: ChatDevice, contactNumber: string): Promise<Selectable<DB['conversations']>>;
  /** Returns the total credits that a team has used. */
  creditsUsed(team: Pick<ChatDevice, 'teamId'>): Promise<number>;
}

type TestAnsweringOptions = Partial<Omit<AnsweringOptions, 'provider'>> & {
  provider?: Partial<AssistantProvider>;
};

export function createChats(app: Omit<ChatApp, keyof Chats>): Chats {
  const { db, notifications } = app.context;
  const chats: Chats = {
    startAnswering: (options) => startTestAnswering(app, options),
    addDevice: (bot, settings) => addDevice(app, bot, settings),
    async write({ deviceId }, contactNumber, content, options = {}) {
      const message = {
        networkId: newId(),
        contactNumber,
        fromMe: false,
        sentAt: new Date(),
        ...options,
        content: typeof content === 'string' ? ({ kind: 'text', text: content } as const) : content,
      };
      const conversation = await db
        .transaction()
        .execute((tx) => recordInbound(tx, { deviceId }, message, app.context.keyedHash));
      if (conversation !== null) notifications.publish('conversation-due', conversation);
    },
    async readChat({ deviceId }, contactNumber) {
      const { rows } = await sql<ChatMessage>`
        select direction, kind, status, text, answer_id from messages
        where device_id = ${deviceId} and contact_number = ${contactNumber} order by seq`.execute(db);
      return rows;
    },
    async readOutcome({ deviceId }, contactNumber) {
      const query = { device_id: deviceId, contact_number: contactNumber, page: 1, limit: 100 };
      const { messages } = await listMessages(
        db,
        { keyId: 'test', scope: { kind: 'all' }, role: null },
        query,
      );
      const { outcome = null, outcome_reason: reason } = messages.at(-1) ?? {};
      return reason === undefined ? outcome : `${outcome}: ${reason}`;
    },
    untilReplied: (device, contactNumber, count = 1) =>
      eventually(async () => {
        const chat = await chats.readChat(device, contactNumber);
        const replies = chat.filter(({ direction }) => direction === 'out').map(({ text }) => text);
        assert.equal(replies.length, count, JSON.stringify(chat));
        return replies;
      }),
    readConversation: ({ deviceId }, contactNumber) =>
      db
        .selectFrom('conversations')
        .selectAll()
        .where('device_id', '=', deviceId)
        .where('contact_number', '=', contactNumber)
        .executeTakeFirstOrThrow(),
    async creditsUsed({ teamId }) {
      const { rows } = await sql<{ credits: number }>`
        select coalesce(sum(credits), 0)::int as credits from monthly_usage where team_id = ${teamId}`.execute(
        db,
      );
      return rows[0]?.credits ?? 0;
    },
  };
  return chats;
}

function startTestAnswering(
  { context, bots, callAction }: Omit<ChatApp, keyof Chats>,
  options: TestAnsweringOptions = {},
): Answering {
  const answering = startAnswering({
    ...context,
    bots,
    callAction,
    extractor: { extract: async () => ({ sections: [], chars: 0 }) },
    prices: context.config.MODEL_PRICES,
    pollMs: 50,
    graceMs: 100,
    ...options,
    provider: { ...context.provider, ...options.provider },
  });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= answering.close();
    return closing;
  };
  after(close);
  return { close };
}

async function addDevice(
  app: Omit<ChatApp, keyof Chats>,
  bot: object = {},
  settings: Record<string, unknown> = {},
): Promise<ChatDevice> {
  const { db } = app.context;
  const teamId = await addTeam(app.context);
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

export interface TestService {
  /** The base URL. */
  url: string;
  requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
}

/** Starts a partner's service on loopback that records its requests. */
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
  return { url: getUrl('127.0.0.1', server), requests };
}
