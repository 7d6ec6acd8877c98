import { Type } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import type { ReadList } from '../../platform/database/read-list.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { operation, success, successWithMeta } from '../../platform/http/operation.ts';
import { PageMeta, pageMeta } from '../../platform/http/pagination.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import { contactIssues } from '../conversations/contact-directory.ts';
import { selectContacts } from './contacts.queries.ts';
import { Contact, ContactQuery, FoundContact, ListContacts, UpdateContact } from './contacts.schemas.ts';
import { fieldIssues, getContact, presentContact, updateContact } from './contacts.ts';

const base = '/api/openapi/v1/contacts';
const shared = { tag: 'Contacts', access: 'anyKey', extension: true } as const;

export const contactBookRoutes =
  ({ db, readList }: { db: Database; readList: ReadList }): Routes =>
  (app) => {
    app.get(
      base,
      operation({
        ...shared,
        id: 'listContacts',
        summary: 'List contacts, newest first',
        description: 'Everybody who ever wrote to a device or got an answer, and those whom the team added.',
        query: ListContacts,
        data: Type.Array(Contact),
        meta: PageMeta,
      }),
      async (request) => {
        const { rows, total } = await readList((db) =>
          selectContacts(db, requireActor(request).scope, request.query),
        );
        const meta = pageMeta(request.query, total, rows);
        return successWithMeta(rows.map(presentContact), meta);
      },
    );

    const ofContact = { ...shared, creates: true } as const;
    const isNumber = ({ path }: { path: Record<string, string> }) => contactIssues(path['number'] ?? '');

    app.get(
      `${base}/:number`,
      operation({
        ...ofContact,
        id: 'getContact',
        summary: 'Get what a team knows about a contact',
        description: 'The number finds the contact under each of its numbers and ids.',
        query: ContactQuery,
        data: FoundContact,
        rules: isNumber,
      }),
      async (request) =>
        success(
          await getContact(
            db,
            requireActor(request),
            pathParameter(request, 'number'),
            request.query.team_id,
          ),
        ),
    );

    app.patch(
      `${base}/:number`,
      operation({
        ...ofContact,
        id: 'updateContact',
        summary: 'Change what a team knows about a contact',
        description:
          'Absent members stay as they are. `fields` and `labels` are replaced as a whole. A contact whom the team does not know yet is created. After `blocked: true`, the bot does not answer the contact: its messages get the outcome `contact_blocked`.',
        body: UpdateContact,
        data: Contact,
        rules: (input) => [...isNumber(input), ...fieldIssues(input.body)],
      }),
      async (request) => {
        const number = pathParameter(request, 'number');
        const actor = requireActor(request);
        return success(
          await db.transaction().execute((tx) => updateContact(tx, actor, number, request.body)),
        );
      },
    );
  };
