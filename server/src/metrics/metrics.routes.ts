import { notFound } from '../http/errors.ts';
import type { Routes } from '../http/fastify-app.ts';
import type { Exposition } from './exposition.ts';

/** Unauthorized readers get 404. */
export const metricsRoutes =
  ({ expose }: { expose: Exposition }): Routes =>
  (app) => {
    app.get('/metrics', { config: { access: 'public', routine: true } }, async (request, reply) => {
      const exposed = await expose(request);
      if (exposed === null) throw notFound('route');
      return reply.type(exposed.contentType).send(exposed.text);
    });
  };
