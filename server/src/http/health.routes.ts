import type { Routes } from './app.ts';
import { unavailable } from './errors.ts';

/**
 * For whoever watches the process: `/healthz` says that it lives, `/readyz` that it can work now. Anyone may ask, so all
 * who ask at once share one look: else they would take the database from those who work.
 */
export const healthRoutes =
  ({ ready }: { ready: () => Promise<boolean> }): Routes =>
  (app) => {
    const config = { access: 'public', routine: true } as const;
    let looking: Promise<boolean> | null = null;
    const look = (): Promise<boolean> => {
      looking ??= ready().finally(() => {
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
