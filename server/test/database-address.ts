import type { Server } from 'node:net';
import { getPort } from '../src/platform/shared/listening.ts';

/** Returns the address of a connection string. The parameter `host` names a unix socket. */
export function addressOf(databaseUrl: string): { path: string } | { host: string; port: number } {
  const url = new URL(databaseUrl);
  const host = url.searchParams.get('host') ?? url.hostname;
  const port = Number(url.searchParams.get('port') ?? (url.port || '5432'));
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
}

/** Returns the connection string through a TCP server on loopback. */
export function throughServer(databaseUrl: string, server: Server): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('host', '127.0.0.1');
  url.searchParams.set('port', String(getPort(server)));
  return url.href;
}
