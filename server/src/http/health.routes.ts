import { withDeadline } from '../shared/deadline.ts';
import { unavailable } from './errors.ts';
import type { Routes } from './fastify-app.ts';

const checkTimeoutMs = 5_000;

/** `/readyz` is public, so concurrent requests share one database check. */
export const healthRoutes =
  ({ ready, timeoutMs = checkTimeoutMs }: { ready: () => Promise<boolean>; timeoutMs?: number }): Routes =>
  (app) => {
    const config = { access: 'public', routine: true } as const;
    let running: Promise<boolean> | null = null;
    const check = (): Promise<boolean> => {
      running ??= withDeadline(timeoutMs, ready)
        .catch(() => false)
        .finally(() => {
          running = null;
        });
      return running;
    };
    app.get('/healthz', { config }, async () => ({ status: 'ok' }));
    app.get('/readyz', { config }, async () => {
      if (!(await check())) throw unavailable('not_ready', 'Not ready for work', 1);
      return { status: 'ready' };
    });
  };
