import type { Logger } from '../../shared/logger.ts';
import type { MessagingNetwork, NetworkSession, SessionOptions } from './messaging-network.ts';
import { SimulatorConnection } from './simulator-connection.ts';
import { SimulatorSession } from './simulator-session.ts';
import { supportedContent } from './supported-content.ts';

/** The simulated network at `url`, its http address as it is now. All sessions share one WebSocket, opened when first needed. */
export class SimulatorNetwork implements MessagingNetwork {
  readonly name = 'simulator';
  readonly supportedContent = supportedContent.simulator;
  readonly #url: () => string;
  readonly #logger: Pick<Logger, 'error' | 'warn'>;
  readonly #heartbeatMs: number;
  readonly #sessions = new Set<SimulatorSession>();
  #carrier: Promise<SimulatorConnection> | null = null;
  #reachable = true;

  /** A simulator that is silent for `heartbeatMs` after it was pinged counts as gone. */
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
    const carrier = await this.#carrier?.catch(() => null);
    await carrier?.close();
  }

  /** The carrier in use, or a new one when there is none, or the last one broke. */
  #connected(): Promise<SimulatorConnection> {
    if (this.#carrier) return this.#carrier;
    const forget = () => {
      if (this.#carrier === connecting) this.#carrier = null;
    };
    const connecting = SimulatorConnection.connect(this.#url(), this.#heartbeatMs, forget);
    connecting.then(
      () => {
        this.#reachable = true;
      },
      (error: Error) => {
        forget();
        this.#missed(error);
      },
    );
    this.#carrier = connecting;
    return connecting;
  }

  /** Said once, however many sessions try again and again. */
  #missed(error: Error): void {
    if (this.#reachable)
      this.#logger.warn(
        { url: this.#url(), reason: error.message },
        'the simulated network cannot be reached; devices try again until it is back',
      );
    this.#reachable = false;
  }
}
