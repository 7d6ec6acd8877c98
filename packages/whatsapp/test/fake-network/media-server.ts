import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
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
  /** Null ends the fault for media that phones upload from then on. */
  fail(fault: MediaFault | null): void;
  /** Serves all media that have not expired. */
  repair(): void;
  /** Stores media of a phone again. Returns their new path, or null if they are unknown. */
  uploadAgain(path: string): string | null;
  /** Downloads by linked devices and phones. */
  readonly downloads: number;
  /** Requests that followed a redirect. */
  readonly redirected: number;
}

/**
 * `down` applies to all requests of linked devices, the others to media that phones upload from then on: the host never
 * responds, sends a byte a second, redirects, or has deleted the media.
 */
export type MediaFault = 'down' | 'hang' | 'trickle' | 'redirect' | 'expire';

interface StoredMedia {
  bytes: Buffer;
  fault: MediaFault | null;
}

/** A self-signed certificate for localhost, valid until 2126, with its key. */
const pem = await readFile(new URL('localhost.pem', import.meta.url), 'utf8');

export async function startMediaServer(): Promise<MediaServer> {
  const cert = pem.slice(pem.indexOf('-----BEGIN CERTIFICATE-----'));
  setDefaultCACertificates([...getCACertificates(), cert]);
  const stored = new Map<string, StoredMedia>();
  let fault: MediaFault | null = null;
  let [downloads, redirected] = [0, 0];
  const serve = (response: ServerResponse, path: string, media: StoredMedia | undefined) => {
    if (media === undefined) response.writeHead(404).end();
    else if (media.fault === 'expire') response.writeHead(410).end();
    else if (media.fault === 'redirect') response.writeHead(302, { location: `/redirected${path}` }).end();
    else if (media.fault === 'trickle') trickle(response, media.bytes);
    else if (media.fault !== 'hang') response.writeHead(200).end(media.bytes);
  };
  const server = createServer({ key: pem, cert }, async (request, response) => {
    const path = new URL(request.url ?? '', 'https://localhost').pathname;
    if (fault === 'down') {
      response.writeHead(503).end();
    } else if (request.method === 'POST') {
      stored.set(path, { bytes: await buffer(request), fault: null });
      response.end(JSON.stringify({ url: `https://${host}${path}`, direct_path: path }));
    } else if (path.startsWith('/redirected')) {
      redirected += 1;
      response.end(stored.get(path.slice('/redirected'.length))?.bytes);
    } else {
      downloads += 1;
      serve(response, path, stored.get(path));
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
      stored.set(directPath, { bytes: await readFile(filePath as string), fault });
      return { mediaUrl: `https://${host}${directPath}`, directPath };
    },
    async download(media, type) {
      return buffer(await downloadContentFromMessage(media, type, { host }));
    },
    fail(next) {
      fault = next;
    },
    repair() {
      for (const media of stored.values()) if (media.fault !== 'expire') media.fault = null;
    },
    uploadAgain(path) {
      const media = stored.get(path);
      if (media === undefined) return null;
      stored.set(`${path}/again`, { ...media, fault: null });
      return `${path}/again`;
    },
    get downloads() {
      return downloads;
    },
    get redirected() {
      return redirected;
    },
  };
}

function trickle(response: ServerResponse, bytes: Buffer): void {
  response.writeHead(200, { 'content-length': bytes.length });
  let sent = 0;
  const timer = setInterval(() => {
    response.write(bytes.subarray(sent, sent + 1));
    sent += 1;
  }, 1000);
  response.once('close', () => clearInterval(timer));
}
