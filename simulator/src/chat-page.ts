import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';

const pageFiles = {
  '/simulator': { file: 'index.html', type: 'text/html; charset=utf-8' },
  '/simulator/app.css': { file: 'app.css', type: 'text/css; charset=utf-8' },
  '/simulator/app.js': { file: 'app.js', type: 'text/javascript; charset=utf-8' },
  '/simulator/icon.svg': { file: 'icon.svg', type: 'image/svg+xml' },
  '/simulator/messages.js': { file: 'messages.js', type: 'text/javascript; charset=utf-8' },
  '/simulator/network.js': { file: 'network.js', type: 'text/javascript; charset=utf-8' },
} as const;

const securityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** Serves the page that acts as a phone. Its addresses are relative, so that any host may forward `/simulator`. */
export async function registerChatPage(app: FastifyInstance): Promise<void> {
  for (const [path, { file, type }] of Object.entries(pageFiles)) {
    const body = await readFile(new URL(`./chat-page/${file}`, import.meta.url));
    app.get(path, async (_request, reply) =>
      reply
        .header('Content-Type', type)
        .header('Content-Security-Policy', securityPolicy)
        .header('X-Content-Type-Options', 'nosniff')
        .header('Referrer-Policy', 'no-referrer')
        .header('Cache-Control', 'no-cache')
        .send(body),
    );
  }
  app.get('/simulator/', async (_request, reply) => reply.redirect('../simulator', 302));
}
