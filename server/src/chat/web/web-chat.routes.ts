import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { GetDeviceToken } from '../../devices/device-token.ts';
import { selectWebSites, type WebSite } from '../../devices/devices.sql.ts';
import type { PushEvent } from '../../devices/inbox.ts';
import type { Database } from '../../platform/database/database.ts';
import { createLoader } from '../../platform/database/loader.ts';
import { notFound, requestRateExceeded, unauthorized } from '../../platform/http/errors.ts';
import type { App, Routes } from '../../platform/http/fastify-app.ts';
import { createAttemptCounter, toNetwork } from '../../platform/http/limits/attempts.ts';
import { success } from '../../platform/http/operation.ts';
import type { Clock } from '../../platform/shared/clock.ts';
import type { KeyedHash } from '../../platform/shared/encryption.ts';
import { isUuid } from '../../platform/shared/ids.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import type { WebEvent } from '../../ports/messaging-network/web.ts';
import { readBrand } from '../../tenancy/brands/brands.ts';
import { selectHours } from '../hours/hours.queries.ts';
import { isOpen } from '../hours/opening.ts';
import { toNetworkId } from '../messages/delivery-attempt.ts';
import { readMedium } from '../messages/read-medium.ts';
import type { VisitorStreams } from './visitor-streams.ts';
import { createVisitors } from './visitors.ts';
import {
  type Chat,
  selectChatMedium,
  selectOwnMessages,
  selectPicture,
  selectStart,
} from './web-chat.queries.ts';
import { NoQuery, OpenChat, ReadChat, ReportChat, WriteChat } from './web-chat.schemas.ts';
import { describeChat, openVisitor, requireAllowedOrigin, requireOpen, toWebEvent } from './web-chat.ts';

interface Dependencies {
  db: Database;
  keyedHash: KeyedHash;
  getDeviceToken: GetDeviceToken;
  fileStore: Pick<FileStore, 'get'>;
  push: PushEvent;
  streams: Pick<VisitorStreams, 'open'>;
  clock: Clock;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The website that a request of its chat names, once its origin is allowed. */
    webSite: WebSite | null;
  }
}

const base = '/networks/web/:site';
const maxBodyBytes = 7 * 1024 * 1024 + 64 * 1024;

/** A minute. */
const limits = { visitsPerAddress: 60, messagesPerVisitor: 30, messagesPerSite: 1_200, filesPerVisitor: 10 };

/** What the script of the chat calls, on pages of the websites that a device lists. Not a part of the partner API. */
export const webChatRoutes =
  (deps: Dependencies): Routes =>
  async (app) => {
    const { db, fileStore, push, streams, clock } = deps;
    const visitors = createVisitors(deps.keyedHash);
    const take = createLimits();
    installSites(app, db);

    const readChat = (request: FastifyRequest): Chat & { site: WebSite } => {
      const site = siteOf(request);
      requireOpen(site);
      const [, token = ''] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? [];
      const contact = visitors.read(site.id, token);
      if (contact === null) throw unauthorized('invalidToken');
      return { deviceId: site.id, contact, site };
    };
    const pushWebEvent = (
      { site, contact }: { site: WebSite; contact: string },
      key: string,
      payload: WebEvent,
      bytes: Uint8Array | null = null,
    ) => push({ deviceId: site.id, teamId: site.team_id, key, contact, payload, bytes });
    const config = { access: 'public', routine: true } as const;

    app.post(
      `${base}/visits`,
      { config, schema: { querystring: NoQuery, body: OpenChat } },
      async (request) => {
        const site = siteOf(request);
        requireOpen(site);
        take('visits', `${site.id}/${toNetwork(request.ip)}`);
        // Validation has checked it.
        const token = openVisitor({ ...deps, visitors }, site, request.body as Static<typeof OpenChat>);
        const opening = await selectHours(db, { kind: 'all' }, site.team_id);
        return success({
          visitor: token,
          ...describeChat(site),
          /** Null for a team without opening hours. */
          open: opening?.hours ? isOpen(opening.hours, clock.now(), opening.timezone) : null,
        });
      },
    );

    app.post(
      `${base}/messages`,
      { config, bodyLimit: maxBodyBytes, schema: { querystring: NoQuery, body: WriteChat } },
      async (request) => {
        const chat = readChat(request);
        // Validation has checked it.
        const body = request.body as WriteChat;
        take('messages', chat.contact);
        take('site', chat.deviceId);
        if (body.file !== undefined) take('files', chat.contact);
        const { event, bytes } = toWebEvent(chat.contact, body);
        await pushWebEvent(chat, `${chat.contact}/${body.id}`, event, bytes);
        return success({ id: body.id });
      },
    );

    app.post(
      `${base}/receipts`,
      { config, schema: { querystring: NoQuery, body: ReportChat } },
      async (request) => {
        const chat = readChat(request);
        take('receipts', chat.contact);
        const { ids, state } = request.body as { ids: string[]; state: 'delivered' | 'read' };
        const own = await selectOwnMessages(db, chat, ids);
        await Promise.all(
          own.map((id) =>
            pushWebEvent(chat, `${state}/${id}`, { type: 'receipt', id: toNetworkId(id), state }),
          ),
        );
        return success({ reported: own.length });
      },
    );

    app.get(`${base}/stream`, { config, schema: { querystring: ReadChat } }, async (request, reply) => {
      const chat = readChat(request);
      const { after } = request.query as { after?: number };
      const start = after ?? (await selectStart(db, chat));
      reply.header('content-type', 'text/event-stream; charset=utf-8').header('x-accel-buffering', 'no');
      return reply.send(streams.open({ deviceId: chat.deviceId, contact: chat.contact }, start));
    });

    app.get(
      `${base}/media/:messageId`,
      { config, schema: { querystring: NoQuery } },
      async (request, reply) => {
        const chat = readChat(request);
        const { messageId } = request.params as { messageId: string };
        const medium = await selectChatMedium(db, chat, messageId);
        const bytes = medium && (await readMedium(fileStore, medium));
        if (medium === undefined || !bytes) throw notFound('media');
        return sendFile(reply, medium.mimeType, bytes);
      },
    );

    app.get(`${base}/logo`, { config, schema: { querystring: NoQuery } }, async (request, reply) => {
      const site = siteOf(request);
      requireOpen(site);
      const { logo } = await readBrand(db, site.team_id);
      const [, type, base64] = /^data:([\w/]+);base64,(.*)$/.exec(logo ?? '') ?? [];
      if (type === undefined || base64 === undefined) throw notFound('media');
      return sendFile(reply.headers(pictureCache), type, Buffer.from(base64, 'base64'));
    });

    app.get(
      `${base}/people/:userId/picture`,
      { config, schema: { querystring: NoQuery } },
      async (request, reply) => {
        const chat = readChat(request);
        const { userId } = request.params as { userId: string };
        const picture = isUuid(userId) ? await selectPicture(db, chat, userId) : undefined;
        if (picture === undefined) throw notFound('media');
        return sendFile(reply.headers(pictureCache), picture.mimeType, picture.bytes);
      },
    );
  };

const pictureCache = { 'cache-control': 'private, max-age=300' };

const sendFile = (reply: FastifyReply, type: string, bytes: Uint8Array) =>
  reply
    .headers({
      'content-type': type,
      'content-disposition': 'attachment',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    .send(bytes);

function siteOf({ webSite }: FastifyRequest): WebSite {
  if (webSite === null) throw notFound('device');
  return webSite;
}

/** Answers preflights, and finds the website of a request. Refuses pages that the website does not list (403). */
function installSites(app: App, db: Database): void {
  const findSite = createLoader((keys: readonly string[]) => selectWebSites(db, keys));
  app.decorateRequest('webSite', null);
  app.addHook('onRequest', async (request, reply) => {
    const { site: named = '' } = request.params as { site?: string };
    const key = isUuid(named) ? named.toLowerCase() : named;
    const site = isUuid(key) || /^site_[\w-]{20,60}$/.test(key) ? await findSite(key) : null;
    if (site === null) throw notFound('device');
    requireAllowedOrigin(site, request.headers);
    request.webSite = site;
    const { origin } = request.headers;
    if (origin === undefined) return;
    reply.headers({ 'access-control-allow-origin': origin, vary: 'Origin' });
    if (request.method === 'OPTIONS')
      return reply
        .headers({
          'access-control-allow-methods': 'GET, POST',
          'access-control-allow-headers': 'Authorization, Content-Type',
          'access-control-max-age': '600',
        })
        .code(200)
        .send();
  });
  app.options(`${base}/*`, { config: { access: 'public', routine: true } }, async () => '');
}

/** Per process. Throws the refusal of the request rate. */
function createLimits() {
  const counters = {
    visits: createAttemptCounter(limits.visitsPerAddress),
    messages: createAttemptCounter(limits.messagesPerVisitor),
    files: createAttemptCounter(limits.filesPerVisitor),
    receipts: createAttemptCounter(10 * limits.messagesPerVisitor),
    site: createAttemptCounter(limits.messagesPerSite),
  };
  return (kind: keyof typeof counters, name: string): void => {
    const wait = counters[kind](name);
    if (wait > 0) throw requestRateExceeded(wait, {}, kind === 'site' ? 'website' : 'visitor');
  };
}
