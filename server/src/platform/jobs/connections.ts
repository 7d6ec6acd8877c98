import pg from 'pg';
import { beginSession, SessionClient } from '../database/session.ts';
import { watchForSilence } from '../database/silence.ts';
import { StatementSender } from '../database/statement-sender.ts';
import type { Logger } from '../shared/logger.ts';

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (reason?: Error | boolean) => void,
) => void;

const maxConnections = 4;
const probeIntervalMs = 3_000;
const probe = { text: 'select' };
const responseTimeoutMs = 70_000;

/** The library may release a broken connection twice while it stops, and pg throws for that. */
export class JobConnections extends pg.Pool {
  /** The times of the last acquisition or response. */
  readonly #inUse = new Map<pg.ClientBase, number>();
  readonly #probed = new WeakSet<pg.ClientBase>();
  readonly #sender: StatementSender;
  readonly #timer: NodeJS.Timeout;

  constructor(
    url: string,
    logger: Pick<Logger, 'warn'>,
    onConnect: (client: pg.ClientBase) => Promise<void> = async () => undefined,
  ) {
    super({
      Client: SessionClient,
      connectionString: url,
      max: maxConnections,
      application_name: 'parley jobs',
      connectionTimeoutMillis: 10_000,
      onConnect: async (client) => {
        await beginSession(client);
        await onConnect(client);
      },
    });
    this.on('acquire', (client) => this.#inUse.set(client, performance.now()));
    this.on('release', (_error, client) => this.#inUse.delete(client));
    const check = watchForSilence({ pool: this, url, logger });
    this.#sender = new StatementSender(responseTimeoutMs, () => String, check);
    this.#timer = setInterval(() => this.#probe(), probeIntervalMs).unref();
  }

  /**
   * The sender does not know the library's statements. A statement of its own finds the connections that fell silent,
   * including the idle one that listens.
   */
  #probe(): void {
    const now = performance.now();
    for (const [client, since] of this.#inUse) {
      if (now - since < probeIntervalMs || this.#probed.has(client)) continue;
      this.#probed.add(client);
      const onResponse = () => {
        this.#probed.delete(client);
        if (this.#inUse.has(client)) this.#inUse.set(client, performance.now());
      };
      this.#sender.send(client, probe).then(onResponse, onResponse);
    }
  }

  override async end(): Promise<void> {
    clearInterval(this.#timer);
    await super.end();
    this.#sender.close();
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (callback === undefined) return super.connect();
    super.connect((error, client, done) => callback(error, client, atMostOnce(done)));
    return undefined;
  }
}

function atMostOnce(release: (reason?: Error | boolean) => void): typeof release {
  let released = false;
  return (reason) => {
    if (released) return;
    released = true;
    release(reason);
  };
}
