import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { contactIssues } from '../../chat/conversations/contact-directory.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Actor, requireActor } from '../../platform/http/actor.ts';
import { unavailable } from '../../platform/http/errors.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import type { Encryption, KeyedHash } from '../../platform/shared/encryption.ts';
import { createSemaphore } from '../../platform/shared/semaphore.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import { ContactExport, ContactScope, ErasedContact } from './contacts.schemas.ts';
import { eraseContact, exportContact, withFileContents } from './contacts.ts';

const base = '/api/openapi/v1/contacts/:number';
const shared = {
  tag: 'Contacts',
  access: 'anyKey',
  extension: true,
  /** A contact without data is exported as empty, so that nothing tells who is known. */
  creates: true,
  body: ContactScope,
  rules: ({ path }: { path: Record<string, string> }) => contactIssues(path['number'] ?? ''),
} as const;

const tooMany = () =>
  unavailable('overloaded', 'Too many contacts are being exported or erased; try again', 5);

/** Both operations read large tables, and an export can take 100 MiB of memory until the client has read it. */
const limits = {
  perGroup: { maxRunning: 2, maxWaiting: 8 },
  maxWaitMs: 10_000,
  errors: { full: tooMany, timedOut: tooMany, closed: tooMany },
};

const groupOf = ({ scope }: Actor, { team_id: teamId }: ContactScope): string =>
  scope.kind === 'team' ? scope.teamId : (teamId?.toLowerCase() ?? '');

interface Dependencies {
  db: Database;
  encryption: Pick<Encryption, 'open'>;
  keyedHash: KeyedHash;
  fileStore: Pick<FileStore, 'get'>;
}

export const contactRoutes =
  ({ db, encryption, keyedHash, fileStore }: Dependencies): Routes =>
  (app) => {
    const slots = createSemaphore(limits);

    app.post(
      `${base}/export`,
      operation({
        ...shared,
        id: 'exportContact',
        summary: 'Export everything that is stored about a contact',
        description:
          'Conversations, messages with their media, and answers, of one team or of all that the key sees. If `complete` is false, the contact has more data than one response holds.',
        data: ContactExport,
      }),
      async (request, reply) => {
        const number = pathParameter(request, 'number');
        const actor = requireActor(request);
        const exportWithFiles = async () => {
          const exported = await db
            .transaction()
            .execute((tx) => exportContact(tx, actor, number, request.body));
          const pieces = exportToJson(await withFileContents(fileStore, exported));
          // The type of a stream does not fit the response.
          reply.type('application/json; charset=utf-8').send(Readable.from(pieces) as never);
          // Rejects if the client has gone.
          await finished(reply.raw).catch(() => undefined);
        };
        await slots.run(exportWithFiles, { group: groupOf(actor, request.body) });
        return reply;
      },
    );

    app.post(
      `${base}/erase`,
      operation({
        ...shared,
        id: 'eraseContact',
        summary: 'Delete everything that is stored about a contact',
        description:
          'Deletes conversations, messages, media, answers, events and their deliveries. The audit log keeps only a keyed hash of the number, and so does the opt-out of a contact who wanted no active messages. A contact who writes again is a new one.',
        data: ErasedContact,
      }),
      async (request) => {
        const number = pathParameter(request, 'number');
        const actor = requireActor(request);
        const erase = () =>
          db
            .transaction()
            .execute((tx) => eraseContact({ tx, encryption, keyedHash }, actor, number, request.body));
        return success(await slots.run(erase, { group: groupOf(actor, request.body) }));
      },
    );
  };

/** Returns the JSON of the response, with a piece for each message and answer. All at once would block the process for a second. */
export function* exportToJson({ messages, answers, ...others }: ContactExport): Generator<string> {
  yield `{"success":true,"data":${JSON.stringify(others).slice(0, -1)}`;
  yield* listToJson('messages', messages);
  yield* listToJson('answers', answers);
  yield '}}';
}

function* listToJson(name: string, items: readonly object[]): Generator<string> {
  yield `,"${name}":[`;
  for (const [index, item] of items.entries()) yield `${index === 0 ? '' : ','}${JSON.stringify(item)}`;
  yield ']';
}
