import { sendPushJob, startTelling } from '../../chat/alerts/alerts.jobs.ts';
import { answerWaitingJob } from '../../chat/answering/answer-waiting.jobs.ts';
import { answerAfterFailureJob, answerWithNewCreditsJob } from '../../chat/answering/answering.jobs.ts';
import { startAnswering } from '../../chat/answering/answering.ts';
import { createActionCaller } from '../../chat/answering/call-action.ts';
import { moveMediaJob } from '../../chat/messages/move-media.jobs.ts';
import { isLinkOpen } from '../../devices/link.ts';
import { reconcileBotsJob } from '../../knowledge/bots/bots.jobs.ts';
import { configuredPlace } from '../../knowledge/bots/knowledge-place.ts';
import { moveKnowledgeJob } from '../../knowledge/bots/move-knowledge.jobs.ts';
import { documentJobs } from '../../knowledge/documents/documents.jobs.ts';
import { createExtractor, extractionLimits } from '../../knowledge/documents/extraction/extractor.ts';
import { fitReaders } from '../../knowledge/documents/extraction/fit-readers.ts';
import { embedPassagesJob } from '../../knowledge/search/embedding.jobs.ts';
import { indexDocumentsJob } from '../../knowledge/search/indexing.jobs.ts';
import { externalCleanupJobs } from '../../lifecycle/external-cleanup/external-cleanup.jobs.ts';
import { keyRotationJob } from '../../lifecycle/key-rotation/key-rotation.jobs.ts';
import { purgeExpiredJob } from '../../lifecycle/retention/retention.jobs.ts';
import { idempotencyJobs } from '../../platform/http/idempotency/idempotency.jobs.ts';
import { startJobRunner } from '../../platform/jobs/runner.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { runCasesJob } from '../../quality/runs/runs.jobs.ts';
import { chainAuditLogJob } from '../../records/audit/audit.jobs.ts';
import { startDeliveries } from '../../records/webhooks/deliveries.ts';
import { readBrand } from '../../tenancy/brands/brands.ts';
import type { MailBrand } from '../../tenancy/people/mail-texts.ts';
import { sendMailJob } from '../../tenancy/people/mails.jobs.ts';
import { createOutbox } from '../../tenancy/people/mails.ts';
import { forgetSessionsJob } from '../../tenancy/people/people.jobs.ts';
import { linkBase } from '../config.ts';
import { type Adapters, type Context, providerDeadlineMs, searchesPassagesByMeaning } from '../context.ts';

/** Jobs that a worker runs at once. They mostly wait for external systems. */
const jobConcurrency = 4;

export async function composeWorker(
  {
    checkConnection,
    clock,
    config,
    databaseUrl,
    db,
    deviceTokens,
    disclosure,
    encryption,
    installationId,
    keyedHash,
    logger,
    metrics,
    notifications,
    recordModelCalls,
    recordSpan,
  }: Context,
  { bots, embedding, fileStore, findReaderLaunch: findLaunch, mailer, places, provider, speech }: Adapters,
): Promise<{ close(): Promise<void> }> {
  const outbound = createOutbound({ allowedHosts: config.ACTION_ALLOWED_HOSTS });
  const extractor = createExtractor({ ...extractionLimits, ...fitReaders(config), findLaunch, logger });
  const answering = startAnswering({
    db,
    fileStore,
    provider,
    bots,
    callAction: createActionCaller({ outbound }),
    recordModelCalls,
    prices: config.MODEL_PRICES,
    notifications,
    clock,
    logger,
    metrics,
    recordSpan,
    speech,
    disclosure,
    extractor,
    leaseSeconds: config.LEASE_SECONDS,
    modelConcurrency: provider.generatesText ? config.MODEL_CONCURRENCY : 0,
  });
  const deliveries = startDeliveries({
    db,
    outbound: createOutbound({ allowedHosts: config.WEBHOOK_ALLOWED_HOSTS }),
    encryption,
    logger,
  });
  const telling = startTelling({
    db,
    outbox: mailer && createOutbox(encryption, keyedHash),
    logger,
  });
  const runner = await startJobRunner({
    databaseUrl,
    onConnect: checkConnection,
    db,
    logger,
    meters: metrics.jobs,
    concurrency: jobConcurrency,
    leaseSeconds: config.LEASE_SECONDS,
    jobs: [
      ...documentJobs({ db, provider, logger }),
      ...externalCleanupJobs({ db, provider, fileStore, clock, logger }),
      reconcileBotsJob({ db }),
      ...idempotencyJobs({ db }),
      forgetSessionsJob({ db }),
      ...(mailer === null
        ? []
        : [
            sendMailJob({
              db,
              encryption,
              mailer,
              baseUrl: linkBase(config),
              brandOf: (teamId) => readMailBrand(db, teamId, config),
              isLinkOpen: (token) => isLinkOpen(db, token),
              logger,
              meters: metrics.mail,
            }),
          ]),
      sendPushJob({
        db,
        encryption,
        outbound: createOutbound({ allowedHosts: [] }),
        subject: pushSubject(config),
        brandName: config.BRAND_NAME,
      }),
      moveMediaJob({ db, fileStore, logger }),
      purgeExpiredJob({ db, clock }),
      chainAuditLogJob({
        db,
        keyedHash: deviceTokens.keyedHash,
        logger,
        meters: metrics.audit,
        installationId,
        headUrl: config.AUDIT_HEAD_URL,
        outbound: createOutbound({ allowedHosts: hostsOf(config.AUDIT_HEAD_URL) }),
      }),
      answerWithNewCreditsJob({ db, clock }),
      answerWaitingJob({ db, notifications }),
      runCasesJob({
        db,
        bots,
        provider,
        clock,
        prices: config.MODEL_PRICES,
        modelDeadlineMs: providerDeadlineMs,
        recordModelCalls,
        recordSpan,
      }),
      answerAfterFailureJob({ db, clock, provider }),
      indexDocumentsJob({ db, installationId, logger }),
      ...(embedding === null || !searchesPassagesByMeaning(config)
        ? []
        : [embedPassagesJob({ db, installationId, embedding, logger })]),
      ...(places === null
        ? []
        : [
            moveKnowledgeJob({
              db,
              encryption,
              extractor,
              fileStore,
              logger,
              places,
              place: configuredPlace(config),
            }),
          ]),
      keyRotationJob({ db, encryption, logger, meters: metrics.rotation }),
    ],
  });
  return {
    async close() {
      await answering.close();
      await telling.close();
      await deliveries.close();
      await runner.stop();
      await extractor.close();
    },
  };
}

async function readMailBrand(
  db: Context['db'],
  teamId: string | null,
  { BRAND_NAME, BRAND_COLOR }: Context['config'],
): Promise<MailBrand> {
  const brand = teamId === null ? null : await readBrand(db, teamId);
  const name = brand?.name ?? BRAND_NAME;
  return { name, color: brand?.color ?? BRAND_COLOR, senderName: brand?.sender_name ?? name };
}

/** How a push service reaches the operator. It takes nothing but a mail or a secure address. */
const pushSubject = ({ MAIL_FROM: from, BASE_URL: base }: Context['config']): string =>
  from === null && base?.startsWith('https:') === true
    ? base
    : `mailto:${from ?? 'postmaster@localhost.localdomain'}`;

/** The operator chose the address, so it may be private. */
const hostsOf = (url: string | null): string[] => (url === null ? [] : [new URL(url).host]);
