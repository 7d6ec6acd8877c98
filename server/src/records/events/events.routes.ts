import type { IncomingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { Authenticate } from '../../platform/http/authentication.ts';
import { ApiError, badRequest, type InputIssue } from '../../platform/http/errors.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { operation, successWithMeta } from '../../platform/http/operation.ts';
import { Event, streamedTypes } from './catalogue.ts';
import { type Cursor, decodeCursor, encodeCursor } from './cursor.ts';
import type { EventFeed } from './event-feed.ts';
import { isKnownPosition, selectEvents, selectLogState } from './events.queries.ts';
import { EventsMeta, ListEvents } from './events.schemas.ts';
import { presentEvent } from './present-event.ts';

const path = '/api/openapi/v1/events';
const maxListBytes = 4 * 1024 * 1024;

interface Dependencies {
  db: Database;
  feed: Pick<EventFeed, 'open'>;
  authenticate: Authenticate;
}

export const eventRoutes =
  ({ db, feed, authenticate }: Dependencies): Routes =>
  (app) => {
    app.get(
      path,
      {
        ...operation({
          id: 'listEvents',
          summary: 'List events, oldest first, or stream them live',
          description:
            'With `Accept: text/event-stream`, the response is a stream of server-sent events that does not end: `id` is the cursor, `event` the type, `data` the event. It begins now, or after the cursor in `after` or the header `Last-Event-ID`. A cursor never skips an event, whenever the transaction of the event ended. An event can appear some milliseconds after its change, in the order of transactions. `conversation.typing` is never stored: only streams that name it in `types` get it, without an `id`, and not those of its author.',
          tag: 'Events',
          access: 'anyKey',
          extension: true,
          streams: true,
          query: ListEvents,
          rules: ({ query }) => typeIssues(query.types),
          data: Type.Array(Event),
          meta: EventsMeta,
        }),
        // The shapes are those of `presentEvent`. Matching each event with one of the union would take long.
        serializerCompiler: () => (body) => JSON.stringify(body),
      },
      async (request, reply) => {
        const { scope, keyId: actorId } = requireActor(request);
        const { limit, types, team_id: teamId } = request.query;
        const filter = { teamId, types: types?.split(',') };
        const { incarnation } = await selectLogState(db);
        if (request.headers.accept?.includes('text/event-stream') !== true) {
          const after = await readCursor(db, request.query.after, incarnation);
          return listEvents(db, { scope, filter, after, limit, incarnation });
        }
        const resumed = request.headers['last-event-id'] ?? request.query.after;
        const after = await readCursor(db, String(resumed ?? ''), incarnation);
        const isAllowed = async () => isStillAllowed(authenticate, request.headers);
        reply.header('content-type', 'text/event-stream; charset=utf-8');
        reply.header('x-accel-buffering', 'no');
        // A stream has no body for the serializer, so its type does not fit the response.
        return reply.send((await feed.open({ scope, actorId, filter, after, isAllowed })) as never);
      },
    );
  };

/** A person who left the team of the stream is refused with an error. */
async function isStillAllowed(authenticate: Authenticate, headers: IncomingHttpHeaders): Promise<boolean> {
  try {
    return (await authenticate(headers)) !== null;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return false;
    throw error;
  }
}

async function listEvents(
  db: Database,
  options: {
    scope: Parameters<typeof selectEvents>[1];
    filter: Parameters<typeof selectEvents>[2];
    after: Cursor | null;
    limit: number;
    incarnation: string;
  },
) {
  const { scope, filter, limit, incarnation } = options;
  const after = options.after ?? { xid: '0', seq: '-1' };
  const range = { after, limit: limit + 1, maxBytes: maxListBytes };
  const { rows, reached, isFull: hasMore, now } = await selectEvents(db, scope, filter, range);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const position = hasMore && last !== undefined ? { ...last, at: last.created_at } : { ...reached, at: now };
  const { xid, seq, at } = position;
  return successWithMeta(page.map(presentEvent), {
    next_cursor: encodeCursor({ incarnation, xid, seq, at: at.getTime() }),
    has_more: hasMore,
  });
}

function* typeIssues(types: string | undefined): Iterable<InputIssue> {
  for (const type of types?.split(',') ?? []) {
    if (!streamedTypes.some((known) => known === type)) {
      yield {
        path: 'types',
        message: `must be event types, separated by commas: ${streamedTypes.join(', ')}`,
      };
      return;
    }
  }
}

async function readCursor(
  db: Database,
  text: string | undefined,
  incarnation: string,
): Promise<Cursor | null> {
  if (text === undefined || text === '') return null;
  const cursor = decodeCursor(text, incarnation);
  if (cursor !== null && (await isKnownPosition(db, cursor))) return cursor;
  throw badRequest(
    'cursor_unknown',
    'The cursor does not belong to this database, which may have been restored; read again without a cursor',
  );
}
