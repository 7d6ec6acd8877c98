import { fastify } from 'fastify';
import { getUrl, smallRequestLimits } from '../shared/listening.ts';
import type { Exposition } from './exposition.ts';

/** Serves `GET /metrics` on a separate port. */
export async function startMetricsListener(options: {
  host: string;
  port: number;
  expose: Exposition;
}): Promise<{ url: string; close(): Promise<void> }> {
  const app = fastify({ logger: false, ...smallRequestLimits, forceCloseConnections: 'idle' });
  app.get('/metrics', async (request, reply) => {
    const exposed = await options.expose(request);
    if (exposed === null) return reply.callNotFound();
    return reply.type(exposed.contentType).send(exposed.text);
  });
  await app.listen({ host: options.host, port: options.port });
  return { url: getUrl(options.host, app.server), close: () => app.close() };
}
