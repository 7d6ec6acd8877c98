import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Routes } from '../http/app.ts';
import { notFound } from '../http/errors.ts';
import type { Metrics } from './metrics.ts';

/**
 * `GET /metrics`, in Prometheus' text format. With a token, for who sends it as bearer; without one, for this machine
 * alone: what a proxy on it passes on does not count. To all others the route does not exist.
 */
export const metricsRoutes =
  ({ registry, token }: { registry: Metrics['registry']; token: string | null }): Routes =>
  (app) => {
    const admits = token === null ? isLocal : bears(token);
    app.get('/metrics', { config: { access: 'public', routine: true } }, async (request, reply) => {
      if (!admits(request)) throw notFound('route');
      return reply.type(registry.contentType).send(await registry.metrics());
    });
  };

const bears = (token: string) => {
  const expected = digest(`Bearer ${token}`);
  return (request: FastifyRequest): boolean =>
    timingSafeEqual(expected, digest(request.headers.authorization ?? ''));
};

const digest = (text: string) => createHash('sha256').update(text).digest();

/** By the socket: what a header says of who calls is no matter here. */
function isLocal({ socket, headers }: FastifyRequest): boolean {
  const { remoteAddress: ip = '' } = socket;
  const passedOn = headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined;
  return !passedOn && ipaddr.isValid(ip) && ipaddr.process(ip).range() === 'loopback';
}
