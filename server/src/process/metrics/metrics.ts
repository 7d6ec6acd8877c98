import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type AnsweringMeters, createAnsweringMeters } from '../../chat/answering/answering-metrics.ts';
import { createRotationMeters, type RotationMeters } from '../../lifecycle/key-rotation/rotation-metrics.ts';
import type { Database } from '../../platform/database/database.ts';
import { createRequestMeters, type RequestMeters } from '../../platform/http/request-metrics.ts';
import { createJobMeters, type JobMeters } from '../../platform/jobs/job-metrics.ts';
import { createExposition, type Exposition } from '../../platform/metrics/exposition.ts';
import { readFreeBytes } from '../../platform/shared/storage-watch.ts';
import { version } from '../../platform/shared/version.ts';
import { createPoolMeters, type PoolMeters } from '../../pool/pool-metrics.ts';
import { createModelMeters, type ModelMeters } from '../../ports/language-model/model-metrics.ts';
import {
  createEmbeddingMeters,
  createSpeechMeters,
  type ServiceMeters,
} from '../../ports/service-metrics.ts';
import { type AuditMeters, createAuditMeters } from '../../records/audit/audit-metrics.ts';
import { createMailMeters, type MailMeters } from '../../tenancy/people/mail-metrics.ts';
import { measureBacklog } from './backlog.ts';

export interface Metrics {
  requests: RequestMeters;
  pool: PoolMeters;
  answering: AnsweringMeters;
  jobs: JobMeters;
  rotation: RotationMeters;
  audit: AuditMeters;
  embedding: ServiceMeters;
  models: ModelMeters;
  speech: ServiceMeters;
  mail: MailMeters;
  expose: Exposition;
  registry: Registry;
}

/** Creates the metrics of this process. If `token` is null, only this machine may read them. */
export function createMetrics({
  db,
  token,
  embeddingModel = null,
  localDisk = null,
}: {
  db: Database;
  token: string | null;
  embeddingModel?: string | null;
  /** A folder on the disk of the database or of the files, null if both are elsewhere. */
  localDisk?: string | null;
}): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  exposeBuild(registry);
  measureBacklog(registry, db, embeddingModel);
  if (localDisk !== null) exposeFreeDisk(registry, localDisk);
  return {
    requests: createRequestMeters(registry),
    pool: createPoolMeters(registry),
    answering: createAnsweringMeters(registry),
    jobs: createJobMeters(registry),
    rotation: createRotationMeters(registry),
    audit: createAuditMeters(registry),
    embedding: createEmbeddingMeters(registry),
    models: createModelMeters(registry),
    speech: createSpeechMeters(registry),
    mail: createMailMeters(registry),
    expose: createExposition({ registry, token }),
    registry,
  };
}

function exposeFreeDisk(registry: Registry, path: string): void {
  new Gauge({
    name: 'parley_disk_free_bytes',
    help: 'Free space on the disk of DATA_DIR.',
    registers: [registry],
    async collect() {
      await readFreeBytes(path).then(
        (bytes) => this.set(bytes),
        () => this.remove(),
      );
    },
  });
}

function exposeBuild(registry: Registry): void {
  new Gauge({
    name: 'parley_build_info',
    help: 'Always 1. The labels name the versions of Parley and Node.js.',
    labelNames: ['version', 'node'],
    registers: [registry],
  })
    .labels(version, process.versions.node)
    .set(1);
}
