import httpProxy from '@fastify/http-proxy';
import type { Hosts } from '../shared/hosts.ts';
import { operationFailed } from './errors.ts';
import type { Routes } from './fastify-app.ts';
import { rejectOtherSites } from './host-check.ts';

const bodyLimit = 24 * 1024 * 1024;

export const simulatorRoutes =
  ({ simulatorUrl, hosts }: { simulatorUrl: () => string; hosts: Hosts }): Routes =>
  async (app) => {
    app.addHook('onRequest', rejectOtherSites(hosts));
    app.addHook('onRoute', (route) => {
      route.bodyLimit = bodyLimit;
    });
    await app.register(httpProxy, {
      upstream: '',
      prefix: '/simulator',
      rewritePrefix: '/simulator',
      config: { access: 'public', routine: true },
      disableRequestLogging: true,
      // The proxy rejects a GET with a body, and a content type counts as one.
      preHandler: async (request) => {
        if (request.method === 'GET') request.body = undefined;
      },
      replyOptions: {
        getUpstream: simulatorUrl,
        // The simulator has another host, so it would reject the origin of its own page.
        rewriteRequestHeaders: (_request, { origin: _, 'sec-fetch-site': __, ...headers }) => headers,
        onError: (reply, { error }) => {
          reply.send(operationFailed('simulator_away', 'The simulator does not respond', error));
        },
      },
    });
  };
