import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

/** The behaviour of the receiver at a path. */
export interface ReceiverSettings {
  path: string;
  secret?: string;
  /** Default: 204. 0: no response. */
  status?: number;
}

/** A delivery that arrived, checked with the published library. */
export interface ReceivedDelivery {
  path: string;
  id: string;
  signatures: number;
  verified: boolean;
  body: string;
}

const settings = new Map<string, ReceiverSettings>();

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const path = request.url ?? '';
    const { secret, status = 204 } = settings.get(path) ?? {};
    const body = Buffer.concat(chunks).toString();
    const headers = request.headers as Record<string, string>;
    const delivery: ReceivedDelivery = {
      path,
      id: headers['webhook-id'] ?? '',
      signatures: (headers['webhook-signature'] ?? '').split(' ').length,
      verified: secret !== undefined && isVerified(secret, body, headers),
      body,
    };
    process.send?.(delivery);
    if (status !== 0) response.writeHead(status, { location: '/redirected' }).end();
  });
});

function isVerified(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

process.on('message', (message: ReceiverSettings) => {
  settings.set(message.path, { ...settings.get(message.path), ...message });
  process.send?.({ set: message.path });
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
