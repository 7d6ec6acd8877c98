import type { Database } from '../../platform/database/database.ts';
import type { Notifications } from '../../platform/database/notifications.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { Message, operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import { deleteTeam } from './delete-team.ts';

interface Dependencies {
  db: Database;
  notifications: Pick<Notifications, 'publish'>;
}

export const deleteTeamRoutes =
  ({ db, notifications }: Dependencies): Routes =>
  (app) => {
    app.delete(
      '/api/openapi/v1/teams/:id',
      operation({
        id: 'deleteTeam',
        summary: 'Delete a team with all that belongs to it',
        description:
          'Deletes its bots, documents, devices, conversations, keys and webhooks for good. Connected devices are unlinked and external files deleted in the background.',
        tag: 'Teams',
        access: 'globalKey',
        resource: 'team',
        data: Message,
      }),
      async (request) => {
        const deleted = await db.transaction().execute((tx) => deleteTeam(tx, pathParameter(request)));
        for (const key of deleted.keyIds) notifications.publish('api-key-changed', key);
        for (const device of deleted.deviceIds) notifications.publish('device-changed', device);
        return success({ message: 'Team deleted' });
      },
    );
  };
