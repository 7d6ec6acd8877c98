import { Type } from 'typebox';
import { createUploadLimiter } from '../../knowledge/documents/upload-limiter.ts';
import { getAnnouncedBytes } from '../../knowledge/documents/upload-pace.ts';
import { acceptMultipart, requireMultipart } from '../../knowledge/documents/upload-parts.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Notifications } from '../../platform/database/notifications.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { App, Routes } from '../../platform/http/fastify-app.ts';
import type { Idempotency } from '../../platform/http/idempotency/idempotency.ts';
import { operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import { createMediaFiles } from '../messages/media-files.ts';
import { MessageRecord } from '../messages/messages.schemas.ts';
import { sendAsPerson } from './conversations.ts';
import { maxCaption, maxFileBytes, readPersonFile, stagePersonFile } from './person-files.ts';

/** Of this process. */
const uploadLimits = { maxRunning: 64, maxBytes: 64 * 1024 * 1024, maxWaiting: 64 };

/** For the OpenAPI document; the parts are checked while they stream in. */
const SendFile = Type.Object(
  {
    file: Type.String({
      format: 'binary',
      description:
        'From 1 byte to 16 MiB, or the limit of the deployment (`MAX_UPLOAD_BYTES`) if it is lower. JPEG and PNG are images. Opus in Ogg or WebM without `text` is a voice note. Everything else is a document.',
    }),
    text: Type.Optional(Type.String({ maxLength: maxCaption, description: 'The caption.' })),
  },
  { additionalProperties: false },
);

interface Dependencies {
  db: Database;
  fileStore: Pick<FileStore, 'put'>;
  idempotency: Idempotency;
  notifications: Pick<Notifications, 'publish'>;
  logger: Pick<Logger, 'warn'>;
  maxUploadBytes: number;
}

export const personFileRoutes =
  (dependencies: Dependencies): Routes =>
  async (app) => {
    await app.register(async (scope: App) => fileRoute(scope, dependencies));
  };

async function fileRoute(app: App, dependencies: Dependencies): Promise<void> {
  const { idempotency, notifications, maxUploadBytes } = dependencies;
  const maxBytes = Math.min(maxFileBytes, maxUploadBytes);
  const limitUpload = createUploadLimiter(uploadLimits);
  const mediaFiles = createMediaFiles(dependencies);
  await acceptMultipart(app, { maxBytes, fieldSize: maxCaption * 4 + 1 });
  app.post(
    '/api/openapi/v1/conversations/:id/files',
    operation({
      id: 'sendFileToConversation',
      summary: 'Send a file in a conversation as a person',
      description:
        "An image, a voice note or a document. Pauses the bot in the conversation for the team's `human_takeover_minutes`. Costs no active message, because the contact wrote first.",
      tag: 'Conversations',
      access: 'anyKey',
      resource: 'conversation',
      multipart: SendFile,
      data: MessageRecord,
      extension: true,
      idempotent: true,
    }),
    async (request, reply) => {
      requireMultipart(request);
      const [actor, id] = [requireActor(request), pathParameter(request)];
      const caller = actor.scope.kind === 'team' ? actor.scope.teamId : actor.keyId;
      const response = await limitUpload(getAnnouncedBytes(request.raw, maxBytes), caller, async () => {
        const sent = await readPersonFile(request, maxBytes);
        const { text, fingerprint } = sent;
        const file = await stagePersonFile({ ...dependencies, mediaFiles }, actor, id, sent);
        return idempotency.inTransaction(
          { request, reply },
          async (tx) => success(await sendAsPerson(tx, actor, id, { text, file }, request.id)),
          { fingerprint },
        );
      });
      notifications.publish('message-due', response.data.device_id);
      return response;
    },
  );
}
