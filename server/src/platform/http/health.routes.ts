import type { FastifyRequest } from 'fastify';
import { withDeadline } from '../shared/deadline.ts';
import { unavailable } from './errors.ts';
import type { Routes } from './fastify-app.ts';

const checkTimeoutMs = 5_000;

interface HealthOptions {
  ready: () => Promise<boolean>;
  timeoutMs?: number;
  /** Decides which callers get the details of `/readyz?verbose`. Others get the plain response. */
  maySeeDetails?: (request: FastifyRequest) => boolean;
  describe?: () => Promise<object>;
}

/** `/readyz` is public, so concurrent requests share one database check. */
export const healthRoutes =
  ({
    ready,
    timeoutMs = checkTimeoutMs,
    maySeeDetails = () => false,
    describe = async () => ({}),
  }: HealthOptions): Routes =>
  (app) => {
    const config = { access: 'public', routine: true, anyHost: true } as const;
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
    app.get('/readyz', { config }, async (request, reply) => {
      const isReady = await check();
      const isVerbose = /[?&]verbose(?:[=&]|$)/.test(request.url) && maySeeDetails(request);
      if (isVerbose && !isReady) reply.code(503).header('retry-after', '1');
      if (isVerbose) return { status: isReady ? 'ready' : 'not_ready', ...(await describe()) };
      if (!isReady) throw unavailable('not_ready', 'The process is not ready for work; retry', 1);
      return { status: 'ready' };
    });
  };
