import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { downloadContentFromMessage, type MediaType, type WAMediaUploadFunction } from 'baileys';

/** Stores encrypted media over HTTPS, like the media hosts of the network. */
export interface MediaServer {
  /** With its port. */
  host: string;
  /** The certificate that clients must trust. */
  certificate: string;
  /** Stores the media that a phone sends. */
  upload: WAMediaUploadFunction;
  /** Downloads and decrypts media, as a phone does. */
  download(media: { mediaKey: Uint8Array; directPath: string }, type: MediaType): Promise<Buffer>;
  /** Requests of linked devices fail. */
  fail(isFailing: boolean): void;
  /** Downloads by linked devices and phones. */
  readonly downloads: number;
}

/** A self-signed certificate for localhost, valid until 2126, with its key. */
const pem = await readFile(new URL('localhost.pem', import.meta.url), 'utf8');

export async function startMediaServer(): Promise<MediaServer> {
  const cert = pem.slice(pem.indexOf('-----BEGIN CERTIFICATE-----'));
  setDefaultCACertificates([...getCACertificates(), cert]);
  const stored = new Map<string, Buffer>();
  let failing = false;
  let downloads = 0;
  const server = createServer({ key: pem, cert }, async (request, response) => {
    const path = new URL(request.url ?? '', 'https://localhost').pathname;
    if (failing) {
      response.writeHead(503).end();
    } else if (request.method === 'POST') {
      stored.set(path, await buffer(request));
      response.end(JSON.stringify({ url: `https://${host}${path}`, direct_path: path }));
    } else {
      downloads += 1;
      const bytes = stored.get(path);
      response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server has a port.
  const host = `localhost:${(server.address() as AddressInfo).port}`;
  return {
    host,
    certificate: cert,
    async upload(filePath, { fileEncSha256B64 }) {
      const directPath = `/sent/${encodeURIComponent(fileEncSha256B64)}`;
      // The library always passes a path.
      stored.set(directPath, await readFile(filePath as string));
      return { mediaUrl: `https://${host}${directPath}`, directPath };
    },
    async download(media, type) {
      return buffer(await downloadContentFromMessage(media, type, { host }));
    },
    fail(isFailing) {
      failing = isFailing;
    },
    get downloads() {
      return downloads;
    },
  };
}
