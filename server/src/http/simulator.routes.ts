import httpProxy from '@fastify/http-proxy';
import { operationFailed } from './errors.ts';
import type { Routes } from './fastify-app.ts';

const bodyLimit = 24 * 1024 * 1024;

export const simulatorRoutes =
  ({ simulatorUrl }: { simulatorUrl: () => string }): Routes =>
  async (app) => {
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
        onError: (reply, { error }) => {
          reply.send(operationFailed('simulator_away', 'The simulator does not respond', error));
        },
      },
    });
  };
