import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { addressOf, throughServer } from './database-address.ts';

const readyForQuery = 'Z'.charCodeAt(0);
const query = 'Q'.charCodeAt(0);
const terminate = 'X'.charCodeAt(0);
const idle = 'I'.charCodeAt(0);

/** Splits a stream into messages of PostgreSQL's protocol. The first message of a client has no type. */
async function* readMessages(socket: Socket, hasStartup: boolean): AsyncGenerator<Buffer> {
  let buffered = Buffer.alloc(0);
  let head = hasStartup ? 0 : 1;
  for await (const chunk of socket) {
    buffered = Buffer.concat([buffered, chunk]);
    while (buffered.length >= head + 4 && buffered.length >= head + buffered.readUInt32BE(head)) {
      const length = head + buffered.readUInt32BE(head);
      yield buffered.subarray(0, length);
      buffered = buffered.subarray(length);
      head = 1;
    }
  }
}

interface Backend {
  socket: Socket;
  messages: AsyncGenerator<Buffer>;
}

/** A pooler like PgBouncer in transaction mode: it lends a server connection for one transaction. Knows simple queries only. */
export async function startTransactionPooler(databaseUrl: string): Promise<{ url: string; close(): void }> {
  const free: Backend[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => undefined);
    void serve(client).catch(() => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  /** Passes the login on. Its replies go to the client. */
  async function logIn(startup: Buffer, client: Socket): Promise<Backend> {
    const socket = connect(addressOf(databaseUrl));
    sockets.add(socket);
    socket.on('error', () => client.destroy());
    socket.write(startup);
    const backend = { socket, messages: readMessages(socket, false) };
    await forwardReply(backend, client);
    return backend;
  }

  async function serve(client: Socket): Promise<void> {
    let lent: Backend | undefined;
    let startup = true;
    for await (const message of readMessages(client, true)) {
      if (startup) {
        startup = false;
        free.push(await logIn(message, client));
        continue;
      }
      if (message[0] === terminate) break;
      if (message[0] !== query) throw new Error('only simple queries are supported');
      lent ??= free.pop();
      if (lent === undefined) throw new Error('no connection is free');
      lent.socket.write(message);
      if ((await forwardReply(lent, client)) !== idle) continue;
      free.push(lent);
      lent = undefined;
    }
    client.end();
  }

  return {
    url: throughServer(databaseUrl, server),
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Returns the state of the transaction. */
async function forwardReply({ messages }: Backend, client: Socket): Promise<number> {
  for (;;) {
    const { value, done } = await messages.next();
    if (done === true) throw new Error('the server closed the connection');
    client.write(value);
    if (value[0] === readyForQuery) return value[5] ?? 0;
  }
}
