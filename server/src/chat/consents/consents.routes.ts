import { Type } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import type { KeyedHash } from '../../platform/shared/encryption.ts';
import { contactIssues } from '../conversations/contact-directory.ts';
import { Consent, ConsentQuery, ImportConsents, ImportedConsents, PutConsent } from './consents.schemas.ts';
import { importConsents, readConsents, writeConsent } from './consents.ts';

const base = '/api/openapi/v1';
const shared = { tag: 'Contacts', access: 'anyKey', extension: true } as const;
const ofContact = {
  ...shared,
  /** A contact whom nobody knows yet may have decided, for example on paper. */
  creates: true,
  rules: ({ path }: { path: Record<string, string> }) => contactIssues(path['number'] ?? ''),
} as const;

export const consentRoutes =
  (deps: { db: Database; keyedHash: KeyedHash }): Routes =>
  (app) => {
    app.get(
      `${base}/contacts/:number/consents`,
      operation({
        ...ofContact,
        id: 'getConsents',
        summary: 'Get what a contact decided about active messages, newest first',
        description:
          'Contacts decide by a word such as STOP or START in their language, alone in a message. Requests and imports can decide for them, but only the contact undoes an opt-out of its own.',
        query: ConsentQuery,
        data: Type.Array(Consent),
      }),
      async (request) =>
        success(
          await readConsents(deps, requireActor(request), pathParameter(request, 'number'), request.query),
        ),
    );

    app.put(
      `${base}/contacts/:number/consents`,
      operation({
        ...ofContact,
        id: 'putConsent',
        summary: 'Record what a contact decided about active messages, newest first',
        description:
          'After `out`, `POST /send` to the contact is 400 `recipient_opted_out`, and accepted messages that were never attempted are refused and refunded. A contact who opted out can only opt in again alone: 400 `contact_opted_out`.',
        body: PutConsent,
        data: Type.Array(Consent),
      }),
      async (request) =>
        success(
          await writeConsent(deps, requireActor(request), pathParameter(request, 'number'), request.body),
        ),
    );

    app.post(
      `${base}/consents/import`,
      operation({
        ...shared,
        id: 'importConsents',
        summary: 'Import what contacts decided, from a CSV',
        description:
          'Each row that can be imported is imported. The response lists the others with the reason; importing the same file again changes nothing else.',
        body: ImportConsents,
        data: ImportedConsents,
      }),
      async (request) => success(await importConsents(deps, requireActor(request), request.body)),
    );
  };
