import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../database/database.ts';
import { type Backlog, selectBacklog } from './backlog.queries.ts';

/** However often the metrics are read, the database is asked once in so long. */
const asked = { everyMs: 5000 };

/** What waits in the whole deployment: every process that reads one database tells the same. */
export function measureBacklog(registry: Registry, db: Database): void {
  let since = Number.NEGATIVE_INFINITY;
  let backlog: Promise<Backlog> = Promise.resolve({ unanswered: null, unsent: null });
  const read = (): Promise<Backlog> => {
    if (performance.now() - since >= asked.everyMs) {
      since = performance.now();
      backlog = selectBacklog(db);
      // Whoever waits for it hears of the failure; the next reading asks again.
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
          // Nothing is told while the database is away: an old figure would look like a good one.
          this.remove();
        }
      },
    });
  gauge(
    'parley_oldest_unanswered_message_seconds',
    'Age of the oldest message whose answer is due, in the whole deployment; 0 when there is none.',
    ({ unanswered }) => unanswered,
  );
  gauge(
    'parley_oldest_due_outbox_message_seconds',
    'Since when the oldest message to send is due, in the whole deployment; 0 when there is none.',
    ({ unsent }) => unsent,
  );
}
