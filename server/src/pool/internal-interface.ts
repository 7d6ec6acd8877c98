import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { isDeviceToken } from '../devices/device-token.ts';
import type { Exposition } from '../metrics/exposition.ts';
import type { Encryption } from '../shared/encryption.ts';
import { isUuid } from '../shared/ids.ts';
import { getUrl, smallRequestLimits } from '../shared/listening.ts';
import type { DrainState } from './pool-drain.ts';
import { isPoolKey } from './pool-key.ts';

/** What the interface needs of the pool. */
interface PoolView {
  /** Null when the device is not hosted here. */
  stateOf(deviceId: string): Promise<DeviceState | null>;
  /** Looks at the device's row now. */
  wake(deviceId: string): void;
  drain(): Promise<DrainState>;
}

interface DeviceState {
  device_id: string;
  status: string;
  connected: boolean;
}

interface InternalInterface {
  /** Where it listens, without a slash at the end. */
  url: string;
  close(): Promise<void>;
}

interface Options {
  host: string;
  port: number;
  encryption: Pick<Encryption, 'keyedHash'>;
  expose: Exposition;
  view: PoolView;
}

/**
 * The pool's own HTTP interface: what a device's token opens, about that device alone, and what the deployment's pool key
 * opens, about the pool. Whether a device exists is told to nobody without its token.
 *
 *     GET  /devices/{id}        {device_id, status, connected}
 *     POST /devices/{id}/wake   looks at the device now
 *     POST /drain               {draining, devices, connected}: takes no devices any more, hands over those it has
 *     GET  /metrics             as on the api, to the same readers
 */
export async function startInternalInterface(options: Options): Promise<InternalInterface> {
  const { view } = options;
  const app = fastify({
    logger: false,
    ...smallRequestLimits,
    forceCloseConnections: 'idle',
  });
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.url !== '/metrics' && !isAllowed(options.encryption, request))
      return refuse(reply);
  });

  app.get('/metrics', async (request, reply) => {
    const exposed = await options.expose(request);
    return exposed === null ? refuse(reply) : reply.type(exposed.contentType).send(exposed.text);
  });

  app.get<{ Params: { id: string } }>('/devices/:id', async (request, reply) => {
    const state = await view.stateOf(request.params.id.toLowerCase());
    if (state === null) return reply.code(404).send(failure('NOT_FOUND', 'The device is not hosted here'));
    return { success: true, data: state };
  });

  app.post<{ Params: { id: string } }>('/devices/:id/wake', async (request) => {
    view.wake(request.params.id.toLowerCase());
    return { success: true, data: { message: 'Looking at the device' } };
  });

  app.post('/drain', async () => ({ success: true, data: await view.drain() }));

  await app.listen({ host: options.host, port: options.port });
  return { url: getUrl(options.host, app.server), close: () => app.close() };
}

/** A device's token opens the routes of that device, the pool key all others; unknown ones, too. */
function isAllowed(encryption: Options['encryption'], { headers, params }: FastifyRequest): boolean {
  const given = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  const { id } = params as { id?: string };
  if (id === undefined) return isPoolKey(encryption, given);
  return isUuid(id) && isDeviceToken(encryption, id.toLowerCase(), given);
}

const refuse = (reply: FastifyReply) =>
  reply
    .code(401)
    .header('www-authenticate', 'Bearer')
    .send(failure('UNAUTHORIZED', 'Missing or invalid credentials'));

const failure = (code: string, error: string) => ({ success: false, error, code });
