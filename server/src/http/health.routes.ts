import { withDeadline } from '../shared/deadline.ts';
import type { Routes } from './app.ts';
import { unavailable } from './errors.ts';

/** A look at a connection that answers no more must not be what all who ask later wait for, too. */
const longestLookMs = 5_000;

/**
 * For whoever watches the process: `/healthz` says that it lives, `/readyz` that it can work now. Anyone may ask, so all
 * who ask at once share one look: else they would take the database from those who work.
 */
export const healthRoutes =
  ({ ready, lookMs = longestLookMs }: { ready: () => Promise<boolean>; lookMs?: number }): Routes =>
  (app) => {
    const config = { access: 'public', routine: true } as const;
    let looking: Promise<boolean> | null = null;
    const look = (): Promise<boolean> => {
      looking ??= withDeadline(lookMs, ready)
        .catch(() => false) // no answer in time
        .finally(() => {
          looking = null;
        });
      return looking;
    };
    app.get('/healthz', { config }, async () => ({ status: 'ok' }));
    app.get('/readyz', { config }, async () => {
      if (!(await look())) throw unavailable('not_ready', 'Not ready for work', 1);
      return { status: 'ready' };
    });
  };
