import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../platform/database/database.ts';
import { type Backlog, emptyBacklog, selectBacklog } from './backlog.queries.ts';

/** The backlog is queried at most once in this time. */
const queryIntervalMs = 5000;

/** Measures the whole deployment, so every process reports the same values. */
export function measureBacklog(registry: Registry, db: Database, embeddingModel: string | null): void {
  let since = Number.NEGATIVE_INFINITY;
  let backlog: Promise<Backlog> = Promise.resolve(emptyBacklog);
  const read = (): Promise<Backlog> => {
    if (performance.now() - since >= queryIntervalMs) {
      since = performance.now();
      backlog = selectBacklog(db, embeddingModel);
      // Callers receive the error. The next read queries again.
      backlog.catch(() => {
        since = Number.NEGATIVE_INFINITY;
      });
    }
    return backlog;
  };
  const gauge = (name: string, help: string, of: (backlog: Backlog) => number | null) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        try {
          this.set(of(await read()) ?? 0);
        } catch {
          // An outdated value would look valid.
          this.remove();
        }
      },
    });
  gauge(
    'parley_oldest_unanswered_message_seconds',
    'Age of the oldest message whose answer is due, in the whole deployment. 0 if there is none.',
    ({ unanswered }) => unanswered,
  );
  gauge(
    'parley_oldest_due_outbox_message_seconds',
    'Time since the oldest message in the outbox became due, in the whole deployment. 0 if there is none.',
    ({ unsent }) => unsent,
  );
  gauge(
    'parley_encryption_keys',
    'Encryption keys that the database needs. 1, or more until a key rotation has finished.',
    ({ keys }) => keys,
  );
  gauge(
    'parley_passages_without_vector',
    'Passages of documents that are still without vectors of EMBEDDING_MODEL, in the whole deployment. 0 without a model.',
    ({ unembedded }) => unembedded,
  );
  gauge(
    'parley_teams_with_documents_elsewhere',
    'Teams whose documents a job still has to move to or from OpenAI, in the whole deployment.',
    ({ moving }) => moving,
  );
  gauge(
    'parley_failing_webhooks',
    'Webhooks whose deliveries have failed for five minutes, or that were disabled for that in the last day, in the whole deployment.',
    ({ failingWebhooks }) => failingWebhooks,
  );
  gauge(
    'parley_disconnected_devices',
    'Started, linked devices that have been disconnected for a minute, in the whole deployment.',
    ({ disconnectedDevices }) => disconnectedDevices,
  );
}
