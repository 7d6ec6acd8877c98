import { promisify } from 'node:util';
import { unavailable } from './errors.ts';
import type { App } from './fastify-app.ts';

/** Returns a function that starts draining. It resolves when no connection is left, or after `lingerMs`. */
export function installDrain(app: App): (lingerMs: number) => Promise<void> {
  let draining = false;
  app.addHook('onRequest', (_request, _reply, done) => {
    done(draining ? unavailable('stopping', 'This process is stopping; try again', 1) : undefined);
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (draining) reply.header('connection', 'close');
    done(null, payload);
  });
  const openConnections = promisify(app.server.getConnections.bind(app.server));
  return async (lingerMs) => {
    draining = true;
    const deadline = performance.now() + lingerMs;
    while (performance.now() < deadline && (await openConnections()) > 0) await pause();
  };
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 10));
