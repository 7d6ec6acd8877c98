import { askRoutes } from '../../chat/answering/ask.routes.ts';
import { createActionCaller } from '../../chat/answering/call-action.ts';
import { messageAnswerRoutes } from '../../chat/answering/message-answer.routes.ts';
import { createRewrite } from '../../chat/answering/rewrite.ts';
import { tryActionRoutes } from '../../chat/answering/try-action.routes.ts';
import { unansweredRoutes } from '../../chat/answering/unanswered.routes.ts';
import { waitingRoutes } from '../../chat/answering/waiting.routes.ts';
import { attentionRoutes } from '../../chat/attention/attention.routes.ts';
import { consentRoutes } from '../../chat/consents/consents.routes.ts';
import { contactBookRoutes } from '../../chat/contacts/contacts.routes.ts';
import { conversationRoutes } from '../../chat/conversations/conversations.routes.ts';
import { personFileRoutes } from '../../chat/conversations/person-files.routes.ts';
import { deskRoutes } from '../../chat/desk/desk.routes.ts';
import { hoursRoutes } from '../../chat/hours/hours.routes.ts';
import { activityRoutes } from '../../chat/messages/activity.routes.ts';
import { messageRoutes } from '../../chat/messages/messages.routes.ts';
import { endMessagesOfDeletedDevice } from '../../chat/messages/outbox.ts';
import { sendRoutes } from '../../chat/messages/send.routes.ts';
import type { VisitorStreams } from '../../chat/web/visitor-streams.ts';
import { webChatRoutes } from '../../chat/web/web-chat.routes.ts';
import { connectionRoutes } from '../../devices/connection.routes.ts';
import { credentialRoutes } from '../../devices/credentials.routes.ts';
import { createDeviceTokens } from '../../devices/device-token.ts';
import { deviceRoutes } from '../../devices/devices.routes.ts';
import { selectDevicesOfBot, stopDevicesOfTeam } from '../../devices/devices.sql.ts';
import { createDeviceReader } from '../../devices/devices.ts';
import { createInbox } from '../../devices/inbox.ts';
import { linkRoutes } from '../../devices/link.routes.ts';
import { networkWebhookRoutes } from '../../devices/network-webhooks.routes.ts';
import { poolRoutes } from '../../devices/pools/pools.routes.ts';
import { templateRoutes } from '../../devices/templates.routes.ts';
import { botRoutes } from '../../knowledge/bots/bots.routes.ts';
import { documentRoutes } from '../../knowledge/documents/documents.routes.ts';
import type { Extractor } from '../../knowledge/documents/extraction/extractor.ts';
import { complianceRoutes } from '../../lifecycle/compliance/compliance.routes.ts';
import { contactRoutes } from '../../lifecycle/contacts/contacts.routes.ts';
import { deleteTeamRoutes } from '../../lifecycle/team-deletion/delete-team.routes.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import type { Idempotency } from '../../platform/http/idempotency/idempotency.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import type { StorageWatch } from '../../platform/shared/storage-watch.ts';
import { createCloudTemplates } from '../../ports/messaging-network/whatsapp-cloud/templates.ts';
import { analyticsRoutes } from '../../quality/analytics/analytics.routes.ts';
import { caseRoutes } from '../../quality/cases/cases.routes.ts';
import { gateRoutes } from '../../quality/gate/gate.routes.ts';
import { createGateCheck } from '../../quality/gate/gate.ts';
import { healthRoutes } from '../../quality/health/health.routes.ts';
import { previewRoutes } from '../../quality/preview/preview.routes.ts';
import { runRoutes } from '../../quality/runs/runs.routes.ts';
import { webhookRoutes } from '../../records/webhooks/webhooks.routes.ts';
import type { BrandedHosts } from '../../tenancy/brands/branded-hosts.ts';
import { brandRoutes } from '../../tenancy/brands/brands.routes.ts';
import { memberRoutes } from '../../tenancy/members/members.routes.ts';
import { createOutbox } from '../../tenancy/people/mails.ts';
import { planRoutes } from '../../tenancy/plans/plans.routes.ts';
import { portalLinkRoutes } from '../../tenancy/portal/portal.routes.ts';
import { teamRoutes } from '../../tenancy/teams/teams.routes.ts';
import { usageRoutes } from '../../tenancy/usage/usage.routes.ts';
import { linkBase } from '../config.ts';
import { type Adapters, type Context, providerDeadlineMs } from '../context.ts';
import { describeDeployment } from '../describe-deployment.ts';

/** Routes of the partner API beside those of access, people, records and health. */
export function resourceRoutes(
  {
    clock,
    config,
    db,
    deviceTokens,
    disclosure,
    encryption,
    keyedHash,
    logger,
    networks,
    notifications,
    readList,
    recordModelCalls,
  }: Context,
  { bots, fileStore, groupQuestions, mailer, provider, speech }: Adapters,
  {
    idempotency,
    extractor,
    storage,
    brandedHosts,
    streams,
  }: {
    idempotency: Idempotency;
    extractor: Extractor;
    storage: StorageWatch;
    brandedHosts: BrandedHosts;
    streams: VisitorStreams;
  },
): Routes[] {
  const readDevice = createDeviceReader(db);
  const getDeviceToken = createDeviceTokens(deviceTokens);
  const outbox = mailer && createOutbox(encryption, keyedHash);
  const outbound = createOutbound({ allowedHosts: config.ACTION_ALLOWED_HOSTS });
  const callAction = createActionCaller({ outbound });
  const uploads = { idempotency, extractor, maxUploadBytes: config.MAX_UPLOAD_BYTES };
  const push = createInbox({ db, notifications, logger });
  return [
    planRoutes({ db }),
    memberRoutes({ db, idempotency, notifications, outbox, baseUrl: config.BASE_URL }),
    brandRoutes({ db, notifications, brandedHosts }),
    portalLinkRoutes({ db, baseUrl: config.BASE_URL }),
    teamRoutes({ db, readList, idempotency, notifications, stopDevicesOfTeam }),
    deleteTeamRoutes({ db, notifications }),
    usageRoutes({ db, clock }),
    complianceRoutes({ db, clock, deployment: describeDeployment(config, disclosure) }),
    documentRoutes({ db, readList, fileStore, provider, providerDeadlineMs, ...uploads }),
    botRoutes({
      db,
      readList,
      idempotency,
      encryption,
      provider,
      providerDeadlineMs,
      selectDevicesOfBot,
      checkGate: createGateCheck(db),
    }),
    caseRoutes({ db, readList, idempotency }),
    runRoutes({ db, readList, idempotency }),
    gateRoutes({ db }),
    previewRoutes({ db }),
    healthRoutes({ db, clock, groupQuestions }),
    analyticsRoutes({ db, clock }),
    deviceRoutes({
      db,
      readList,
      idempotency,
      notifications,
      readDevice,
      getDeviceToken,
      networks,
      baseUrl: linkBase(config),
      endMessagesOfDeletedDevice,
    }),
    connectionRoutes({
      db,
      notifications,
      readDevice,
      getDeviceToken,
      networks,
      baseUrl: linkBase(config),
    }),
    credentialRoutes({ db, encryption, keyedHash, networks, baseUrl: linkBase(config) }),
    templateRoutes({
      db,
      readList,
      encryption,
      networks,
      readDevice,
      templates: createCloudTemplates(config.WHATSAPP_CLOUD_BASE_URL),
    }),
    networkWebhookRoutes({ db, encryption, networks, push }),
    linkRoutes({
      db,
      notifications,
      readDevice,
      baseUrl: config.BASE_URL,
      networks,
      outbox,
      credentials: { encryption, keyedHash, baseUrl: linkBase(config) },
    }),
    poolRoutes({ db }),
    contactRoutes({ db, encryption, keyedHash, fileStore }),
    contactBookRoutes({ db, readList }),
    consentRoutes({ db, keyedHash }),
    webhookRoutes({
      db,
      idempotency,
      encryption,
      outbound: createOutbound({ allowedHosts: config.WEBHOOK_ALLOWED_HOSTS }),
    }),
    messageRoutes({ db, fileStore, readList }),
    activityRoutes({ db }),
    attentionRoutes({ db, clock, storage }),
    conversationRoutes({ db, readList, idempotency, notifications }),
    personFileRoutes({
      db,
      fileStore,
      idempotency,
      notifications,
      logger,
      maxUploadBytes: config.MAX_UPLOAD_BYTES,
    }),
    deskRoutes({ db, readList, idempotency, notifications }),
    hoursRoutes({ db, clock }),
    sendRoutes({
      db,
      keyedHash,
      fileStore,
      idempotency,
      clock,
      notifications,
      logger,
      sources: {
        fetchImage: outbound.fetchImage,
        synthesize: speech.synthesize,
        rewrite: createRewrite({
          db,
          provider,
          bots,
          recordModelCalls,
          clock,
          disclosure,
        }),
      },
    }),
    messageAnswerRoutes({ db }),
    ...(networks.enabled.includes('web')
      ? [
          webChatRoutes({
            db,
            keyedHash,
            getDeviceToken,
            fileStore,
            push,
            streams,
            clock,
          }),
        ]
      : []),
    unansweredRoutes({ db, clock, groupQuestions }),
    waitingRoutes({ db }),
    askRoutes({
      db,
      bots,
      provider,
      callAction,
      recordModelCalls,
      config,
      clock,
      providerDeadlineMs,
    }),
    tryActionRoutes({ db, encryption, callAction, clock }),
  ];
}
