import { Socket } from 'node:net';
import pg from 'pg';
import { withDeadline } from '../shared/deadline.ts';

/** Identifies the server process of a session. A later process may have the same `pid`. */
interface Backend {
  pid: number;
  startedAt: string;
}

/** A client that can be closed without a response of the server. */
export class SessionClient extends pg.Client {
  backend: Backend | null = null;
  readonly #socket: Socket;

  constructor(options: pg.ClientConfig = {}) {
    const socket = new Socket();
    super({ ...options, stream: () => socket });
    this.#socket = socket;
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

const deadlineMs = 8_000;

/** A process that stops inside a transaction must not hold its locks forever. */
const settings = `
  set_config('idle_in_transaction_session_timeout', '10s', false), set_config('lock_timeout', '10s', false),
  set_config('statement_timeout', '60s', false), set_config('timezone', 'UTC', false)`;

/** Sets the session's settings. PgBouncer refuses them as startup parameters. */
export async function beginSession(client: pg.ClientBase): Promise<void> {
  const { rows } = await withDeadline(deadlineMs, () =>
    client.query<Backend>(
      `select ${settings}, pid, extract(epoch from backend_start)::text as "startedAt"
       from pg_stat_activity where pid = pg_backend_pid()`,
    ),
  );
  const [{ pid, startedAt } = { pid: 0, startedAt: '' }] = rows;
  if (client instanceof SessionClient) client.backend = { pid, startedAt };
}
