import type { FastifyRequest } from 'fastify';
import { type Hosts, hostNotAllowed, originNotAllowed, readHostName } from '../shared/hosts.ts';
import type { Logger } from '../shared/logger.ts';
import { type ApiError, badRequest, forbidden } from './errors.ts';
import type { App } from './fastify-app.ts';

/** Rejects other hosts than `hosts` (400). A request of HTTP/1.0 needs no host. */
export function installHostCheck(app: App, hosts: Hosts, logger: Pick<Logger, 'warn'>): void {
  const checkForwarding = createForwardingCheck(logger);
  app.addHook('onRequest', (request, _reply, done) => {
    checkForwarding(request);
    const { host } = request.raw.headers;
    done(host !== undefined && hosts.allows(host) ? undefined : toHostError(request, host));
  });
}

function toHostError({ raw, routeOptions }: FastifyRequest, host: string | undefined): ApiError | undefined {
  if (host === undefined ? raw.httpVersion === '1.1' : readHostName(host) === null)
    return badRequest('malformed_request', 'The request needs exactly one valid Host header');
  if (host === undefined || routeOptions.config.anyHost === true) return undefined;
  return badRequest(hostNotAllowed.reason, hostNotAllowed.message);
}

/** Logs once in the life of the process. Without the setting, all clients of a proxy share one address. */
function createForwardingCheck(logger: Pick<Logger, 'warn'>): (request: FastifyRequest) => void {
  const proxies = new Set<string>();
  let warned = false;
  return (request) => {
    const { raw } = request;
    if (warned || raw.headers['x-forwarded-for'] === undefined) return;
    const { remoteAddress: peer = '' } = raw.socket;
    if (proxies.has(peer)) return;
    // Fastify adds the forwarded addresses of trusted proxies only.
    if ((request.ips?.length ?? 0) > 1) {
      proxies.add(peer);
      return;
    }
    warned = true;
    logger.warn({ peer }, 'ignoring X-Forwarded-For of a peer that is not listed in TRUSTED_PROXIES');
  };
}

/** Rejects requests that a browser sends for pages of other sites (403). */
export const rejectOtherSites =
  (hosts: Hosts) =>
  ({ headers }: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void =>
    done(
      hosts.areForeign(headers) ? forbidden(originNotAllowed.reason, originNotAllowed.message) : undefined,
    );
