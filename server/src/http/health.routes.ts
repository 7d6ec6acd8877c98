import type { Routes } from './app.ts';
import { unavailable } from './errors.ts';

/** For whoever watches the process: `/healthz` says that it lives, `/readyz` that it can work now. */
export const healthRoutes =
  ({ ready }: { ready: () => Promise<boolean> }): Routes =>
  (app) => {
    const config = { access: 'public', routine: true } as const;
    app.get('/healthz', { config }, async () => ({ status: 'ok' }));
    app.get('/readyz', { config }, async () => {
      if (!(await ready())) throw unavailable('not_ready', 'Not ready for work', 1);
      return { status: 'ready' };
    });
  };
