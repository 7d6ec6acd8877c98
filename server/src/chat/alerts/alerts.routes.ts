import type { FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { requireActor } from '../../platform/http/actor.ts';
import { unauthorized } from '../../platform/http/errors.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { Message, operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import { AddPushSubscription, AlertSettings, PushDevice, PutAlertSettings } from './alerts.schemas.ts';
import { addSubscription, putSettings, readSettings, removeSubscription } from './alerts.ts';

interface Dependencies {
  db: Database;
  encryption: Pick<Encryption, 'open' | 'seal'>;
  /** The deployment can send mail. */
  mailPossible: boolean;
}

const base = '/api/openapi/session/alerts';
const own = { tag: 'Signing in', access: 'session', extension: true } as const;

/** What the signed-in person hears of. */
export const alertRoutes =
  (deps: Dependencies): Routes =>
  (app) => {
    app.get(
      base,
      operation({
        ...own,
        id: 'getAlertSettings',
        summary: 'Read what the own person hears of',
        description: 'When somebody waits for a person, and when a phone loses its connection.',
        data: AlertSettings,
      }),
      async (request) => success(await readSettings(deps, personOf(request))),
    );

    app.put(
      base,
      operation({
        ...own,
        id: 'putAlertSettings',
        summary: 'Choose what the own person hears of',
        description:
          'Without a choice, members above `viewer` get a mail when somebody has waited 5 minutes, at most one in 15 minutes.',
        body: PutAlertSettings,
        data: AlertSettings,
      }),
      async (request) => success(await putSettings(deps, personOf(request), request.body)),
    );

    app.post(
      `${base}/devices`,
      operation({
        ...own,
        id: 'addPushSubscription',
        summary: 'Show alerts in this browser',
        description:
          'Takes a subscription made with `push_key`. At most 10 browsers. Messages are encrypted for the browser, and name no contact and no text.',
        body: AddPushSubscription,
        data: PushDevice,
      }),
      async (request) => success(await addSubscription(deps, personOf(request), request.body)),
    );

    app.delete(
      `${base}/devices/:id`,
      operation({
        ...own,
        id: 'deletePushSubscription',
        summary: 'Show alerts in a browser no longer',
        description: 'The browser should unsubscribe, too.',
        resource: 'push_device',
        data: Message,
      }),
      async (request) => {
        await removeSubscription(deps.db, personOf(request), pathParameter(request));
        return success({ message: 'Browser removed' });
      },
    );
  };

function personOf(request: FastifyRequest): string {
  const { session } = requireActor(request);
  if (session === undefined) throw unauthorized('invalidToken');
  return session.personId;
}
