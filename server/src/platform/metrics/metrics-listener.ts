import { fastify } from 'fastify';
import { findRefusal, type Hosts } from '../shared/hosts.ts';
import { getUrl, smallRequestLimits } from '../shared/listening.ts';
import type { Exposition } from './exposition.ts';

export async function startMetricsListener(options: {
  host: string;
  port: number;
  expose: Exposition;
  hosts: Hosts;
}): Promise<{ url: string; close(): Promise<void> }> {
  const app = fastify({ logger: false, ...smallRequestLimits, forceCloseConnections: 'idle' });
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.url === '/healthz') return;
    const refusal = findRefusal(options.hosts, request.headers);
    if (refusal !== null) return reply.code(refusal.status).send(refusal.body);
  });
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/metrics', async (request, reply) => {
    const exposed = await options.expose(request);
    if (exposed === null) return reply.callNotFound();
    return reply.type(exposed.contentType).send(exposed.text);
  });
  await app.listen({ host: options.host, port: options.port });
  return { url: getUrl(options.host, app.server), close: () => app.close() };
}
