import type { Logger } from '../../platform/shared/logger.ts';
import type { MessagingNetwork, NetworkSession, SessionOptions } from './messaging-network.ts';
import { SimulatorConnection } from './simulator-connection.ts';
import { SimulatorSession } from './simulator-session.ts';
import { supportedContent } from './supported-content.ts';

/** The simulated network. `url` returns its current HTTP address. All sessions share one WebSocket, opened when needed. */
export class SimulatorNetwork implements MessagingNetwork {
  readonly name = 'simulator';
  readonly supportedContent = supportedContent.simulator;
  readonly #url: () => string;
  readonly #logger: Pick<Logger, 'error' | 'warn'>;
  readonly #heartbeatMs: number;
  readonly #sessions = new Set<SimulatorSession>();
  #connection: Promise<SimulatorConnection> | null = null;
  #reachable = true;

  constructor(url: () => string, logger: Pick<Logger, 'error' | 'warn'>, heartbeatMs = 10_000) {
    this.#url = url;
    this.#logger = logger;
    this.#heartbeatMs = heartbeatMs;
  }

  openSession(options: SessionOptions): NetworkSession {
    const session = new SimulatorSession(options, this.#logger, () => this.#sessions.delete(session));
    this.#sessions.add(session);
    void session.start(this.#connected());
    return session;
  }

  async close(): Promise<void> {
    const sessions = [...this.#sessions];
    for (const session of sessions) await session.close();
    await Promise.all(sessions.map((session) => session.settled()));
    const connection = await this.#connection?.catch(() => null);
    await connection?.close();
  }

  #connected(): Promise<SimulatorConnection> {
    if (this.#connection) return this.#connection;
    const forget = () => {
      if (this.#connection === connecting) this.#connection = null;
    };
    const connecting = SimulatorConnection.connect(this.#url(), this.#heartbeatMs, forget);
    connecting.then(
      () => {
        this.#reachable = true;
      },
      (error: Error) => {
        forget();
        this.#logUnreachable(error);
      },
    );
    this.#connection = connecting;
    return connecting;
  }

  /** Logs once until the simulator is reachable again. */
  #logUnreachable(error: Error): void {
    if (this.#reachable)
      this.#logger.warn(
        { url: this.#url(), reason: error.message },
        'the simulated network is unreachable; devices retry until it is back',
      );
    this.#reachable = false;
  }
}
