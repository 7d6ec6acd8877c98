import type { App } from './app.ts';
import { unavailable } from './errors.ts';

/**
 * Refuses requests that begin after the signal to stop (503), while those that run are finished. Answers the function
 * that turns the refusal on.
 */
export function installDraining(app: App): () => void {
  let draining = false;
  app.addHook('onRequest', (_request, reply, done) => {
    if (!draining) return done();
    reply.header('connection', 'close');
    done(unavailable('stopping', 'This process is stopping; try again', 1));
  });
  return () => {
    draining = true;
  };
}
