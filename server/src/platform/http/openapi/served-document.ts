import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { App } from '../fastify-app.ts';

interface ServedDocument {
  plain: Buffer;
  compressed: Buffer;
  etag: string;
}

export function serveDocument(app: App): void {
  let prepared: Promise<ServedDocument> | null = null;
  app.get('/api/openapi/openapi.json', { config: { access: 'public' } }, async ({ headers }, reply) => {
    prepared ??= prepare(JSON.stringify(app.swagger()));
    const { plain, compressed, etag } = await prepared;
    reply.headers({ etag, vary: 'Accept-Encoding', 'cache-control': 'no-cache' });
    if (headers['if-none-match']?.includes(etag) === true) return reply.code(304).send();
    reply.type('application/json; charset=utf-8');
    return acceptsGzip(headers['accept-encoding'])
      ? reply.header('content-encoding', 'gzip').send(compressed)
      : reply.send(plain);
  });
}

/** The tag is weak, because it is the same for both encodings. */
async function prepare(json: string): Promise<ServedDocument> {
  return {
    plain: Buffer.from(json),
    compressed: await promisify(gzip)(json, { level: 9 }),
    etag: `W/"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"`,
  };
}

const acceptsGzip = (accepted = ''): boolean =>
  accepted.split(',').some((encoding) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$)|$)/i.test(encoding));
