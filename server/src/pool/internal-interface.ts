import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Exposition } from '../platform/metrics/exposition.ts';
import type { Encryption } from '../platform/shared/encryption.ts';
import { findRefusal, type Hosts } from '../platform/shared/hosts.ts';
import { isUuid } from '../platform/shared/ids.ts';
import { getUrl, reachableHost, smallRequestLimits } from '../platform/shared/listening.ts';
import type { DrainState } from './pool-drain.ts';
import { isPoolKey } from './pool-key.ts';

interface PoolView {
  getState(deviceId: string): Promise<DeviceState | null>;
  wake(deviceId: string): void;
  drain(): Promise<DrainState>;
}

interface DeviceState {
  device_id: string;
  status: string;
  connected: boolean;
}

interface InternalInterface {
  url: string;
  close(): Promise<void>;
}

interface Options {
  host: string;
  port: number;
  encryption: Pick<Encryption, 'keyedHashes'>;
  isDeviceToken(deviceId: string, token: string): Promise<boolean>;
  expose: Exposition;
  hosts: Hosts;
  view: PoolView;
}

/** The pool's own HTTP interface. Without a token, callers cannot learn whether a device exists. */
export async function startInternalInterface(options: Options): Promise<InternalInterface> {
  const { view } = options;
  const app = fastify({
    logger: false,
    ...smallRequestLimits,
    forceCloseConnections: 'idle',
  });
  app.addHook('onRequest', async (request, reply) => {
    const { url } = request.routeOptions;
    if (url === '/healthz') return;
    const refusal = findRefusal(options.hosts, request.headers);
    if (refusal !== null) return reply.code(refusal.status).send(refusal.body);
    if (url !== '/metrics' && !(await isAllowed(options, request))) return refuse(reply);
  });

  app.get('/healthz', async () => ({ status: 'ok' }));

  app.get('/metrics', async (request, reply) => {
    const exposed = await options.expose(request);
    return exposed === null ? refuse(reply) : reply.type(exposed.contentType).send(exposed.text);
  });

  app.get<{ Params: { id: string } }>('/devices/:id', async (request, reply) => {
    const state = await view.getState(request.params.id.toLowerCase());
    if (state === null)
      return reply.code(404).send(failure('NOT_FOUND', 'This pool does not host the device'));
    return { success: true, data: state };
  });

  app.post<{ Params: { id: string } }>('/devices/:id/wake', async (request) => {
    view.wake(request.params.id.toLowerCase());
    return { success: true, data: { message: 'Checking the device' } };
  });

  app.post('/drain', async () => ({ success: true, data: await view.drain() }));

  await app.listen({ host: options.host, port: options.port });
  return { url: getUrl(reachableHost(options.host), app.server), close: () => app.close() };
}

/** A device's token gives access to its routes, the pool key to all other routes, unknown ones included. */
async function isAllowed(
  { encryption, isDeviceToken }: Pick<Options, 'encryption' | 'isDeviceToken'>,
  { headers, params }: FastifyRequest,
): Promise<boolean> {
  const given = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  const { id } = params as { id?: string };
  if (id === undefined) return isPoolKey(encryption, given);
  return isUuid(id) && given !== '' && isDeviceToken(id.toLowerCase(), given);
}

const refuse = (reply: FastifyReply) =>
  reply
    .code(401)
    .header('www-authenticate', 'Bearer')
    .send(failure('UNAUTHORIZED', 'Missing or invalid credentials'));

const failure = (code: string, error: string) => ({ success: false, error, code });
