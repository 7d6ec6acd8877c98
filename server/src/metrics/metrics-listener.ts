import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import type { Exposition } from './exposition.ts';

/** `GET /metrics` on a port of its own, for processes that serve nothing else. */
export async function startMetricsListener(options: {
  host: string;
  port: number;
  expose: Exposition;
}): Promise<{ url: string; close(): Promise<void> }> {
  const app = fastify({ logger: false, requestTimeout: 10_000, forceCloseConnections: 'idle' });
  app.get('/metrics', async (request, reply) => {
    const exposed = await options.expose(request);
    if (exposed === null) return reply.callNotFound();
    return reply.type(exposed.contentType).send(exposed.text);
  });
  await app.listen({ host: options.host, port: options.port });
  const { port } = app.server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return { url: `http://${host}:${port}`, close: () => app.close() };
}
