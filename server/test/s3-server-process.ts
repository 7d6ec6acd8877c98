import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import S3rver from '@20minutes/s3rver';

const [directory = '', ...buckets] = process.argv.slice(2);
const s3 = new S3rver({
  silent: true,
  // It calculates the signature of `/bucket/` as that of `/bucket`.
  allowMismatchedSignatures: true,
  directory,
  configureBuckets: buckets.map((name) => ({ name, configs: [] })),
});
await s3.configureBuckets();
const handle = s3.callback();
const server = createServer((request, response) => {
  if (request.method === 'PUT') keepFolder(request.url ?? '/');
  handle(request, response);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});

/**
 * The library deletes the emptied folder of a deleted object, with the objects that a concurrent request has
 * just written to it. S3 has no folders. A file that is no object keeps the folder from being empty.
 */
function keepFolder(url: string): void {
  const { pathname } = new URL(url, 'http://s3.invalid');
  if (!buckets.includes(pathname.split('/')[1] ?? '')) return;
  const folder = dirname(join(directory, decodeURIComponent(pathname)));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'kept'), '');
}
