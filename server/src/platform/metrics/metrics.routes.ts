import { notFound } from '../http/errors.ts';
import type { Routes } from '../http/fastify-app.ts';
import { rejectOtherSites } from '../http/host-check.ts';
import type { Hosts } from '../shared/hosts.ts';
import type { Exposition } from './exposition.ts';

/** Unauthorized readers get 404. */
export const metricsRoutes =
  ({ expose, hosts }: { expose: Exposition; hosts: Hosts }): Routes =>
  (app) => {
    const onRequest = rejectOtherSites(hosts);
    app.get(
      '/metrics',
      { config: { access: 'public', routine: true }, onRequest },
      async (request, reply) => {
        const exposed = await expose(request);
        if (exposed === null) throw notFound('route');
        return reply.type(exposed.contentType).send(exposed.text);
      },
    );
  };
