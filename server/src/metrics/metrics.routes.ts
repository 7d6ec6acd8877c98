import type { Routes } from '../http/app.ts';
import { notFound } from '../http/errors.ts';
import type { Exposition } from './exposition.ts';

/** `GET /metrics`, in Prometheus' text format. To those who may not read them the route does not exist. */
export const metricsRoutes =
  ({ expose }: { expose: Exposition }): Routes =>
  (app) => {
    app.get('/metrics', { config: { access: 'public', routine: true } }, async (request, reply) => {
      const exposed = await expose(request);
      if (exposed === null) throw notFound('route');
      return reply.type(exposed.contentType).send(exposed.text);
    });
  };
