import type { FileStore } from '../adapters/file-store/file-store.ts';
import type { Database } from '../database/database.ts';
import { requireActor } from '../http/actor.ts';
import type { Routes } from '../http/fastify-app.ts';
import { operation, success } from '../http/operation.ts';
import { pathParameter } from '../http/path-parameter.ts';
import type { Encryption } from '../shared/encryption.ts';
import { ContactExport, ContactScope, ErasedContact } from './contacts.schemas.ts';
import { contactIssues, eraseContact, exportContact, withFileContents } from './contacts.ts';

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

interface Dependencies {
  db: Database;
  encryption: Pick<Encryption, 'open'>;
  fileStore: Pick<FileStore, 'get'>;
}

export const contactRoutes =
  ({ db, encryption, fileStore }: Dependencies): Routes =>
  (app) => {
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
      async (request) => {
        const number = pathParameter(request, 'number');
        const exported = await db
          .transaction()
          .execute((tx) => exportContact(tx, requireActor(request), number, request.body));
        return success(await withFileContents(fileStore, exported));
      },
    );

    app.post(
      `${base}/erase`,
      operation({
        ...shared,
        id: 'eraseContact',
        summary: 'Delete everything that is stored about a contact',
        description:
          'Deletes conversations, messages, media, answers, events and their deliveries. The audit log keeps only a keyed hash of the number. A contact who writes again is a new one.',
        data: ErasedContact,
      }),
      async (request) => {
        const number = pathParameter(request, 'number');
        const actor = requireActor(request);
        return db
          .transaction()
          .execute(async (tx) =>
            success(await eraseContact({ tx, encryption }, actor, number, request.body)),
          );
      },
    );
  };
