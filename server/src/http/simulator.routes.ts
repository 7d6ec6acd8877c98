import httpProxy from '@fastify/http-proxy';
import type { Routes } from './app.ts';
import { operationFailed } from './errors.ts';

/** Images and voice notes travel as base64 in JSON. */
const bodyLimit = 24 * 1024 * 1024;

/**
 * Forwards `/simulator/*` unchanged to the simulated network, wherever it is now, so that its QR links and its page are
 * on this address.
 */
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
      // Every request has its one line already.
      disableRequestLogging: true,
      // A GET that names a content type would be forwarded as one with a body, which the proxy refuses to do.
      preHandler: async (request) => {
        if (request.method === 'GET') request.body = undefined;
      },
      replyOptions: {
        getUpstream: simulatorUrl,
        onError: (reply, { error }) => {
          reply.send(operationFailed('simulator_away', 'The simulated network does not answer', error));
        },
      },
    });
  };
