import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Opens a connection and sends `bytes`. Errors end it silently, because the server may close it at any time. */
export async function open(url: string, bytes: string | Buffer): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => socket.destroy());
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

/** Returns a token exchange with this body. `length` can promise more bytes than the body has. */
export function exchangeWith(body: string, length = Buffer.byteLength(body)): string {
  const head = [
    'POST /api/openapi/auth/token HTTP/1.1',
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Content-Length: ${length}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
