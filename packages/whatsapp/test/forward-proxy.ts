import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** A forward proxy on loopback. `targets` lists the hosts to which it connected. */
export interface ForwardProxy {
  url: string;
  targets: ReadonlySet<string>;
  /** Also closes the open connections. */
  close(): void;
}

export async function startForwardProxy(): Promise<ForwardProxy> {
  const targets = new Set<string>();
  const sockets = new Set<Duplex>();
  const tunnel = (client: Duplex, host: string, greet: (target: Duplex) => void) => {
    targets.add(host);
    const { hostname, port } = new URL(`http://${host}`);
    const target = connect(Number(port), hostname, () => {
      greet(target);
      client.pipe(target).pipe(client);
    });
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        target.destroy();
      });
    }
  };
  const server = createServer();
  server.on('connect', ({ url = '' }: IncomingMessage, client: Duplex) =>
    tunnel(client, url, () => client.write('HTTP/1.1 200 OK\r\n\r\n')),
  );
  // Without TLS, clients send the whole URL.
  server.on('upgrade', ({ url = '', rawHeaders }: IncomingMessage, client: Duplex) => {
    const { host, pathname } = new URL(url);
    const headers = rawHeaders.map((each, n) => (n % 2 === 0 ? `${each}: ` : `${each}\r\n`)).join('');
    tunnel(client, host, (target) => target.write(`GET ${pathname} HTTP/1.1\r\n${headers}\r\n`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server has a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    targets,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
