import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { registerChatPage } from './chat-page.ts';
import { lockDirectory } from './data-lock.ts';
import { DeviceEndpoint } from './device-endpoint.ts';
import { createHttpApp, type Refuse } from './http-app.ts';
import { Journal } from './journal.ts';
import type { SimulatorLogger } from './logger.ts';
import { openMediaStore } from './media-store.ts';
import { Network } from './network.ts';
import { type Fact, type LinkedDevice, NetworkState } from './network-state.ts';
import { registerRoutes } from './routes.ts';

export type { SimulatorLogger } from './logger.ts';

export interface SimulatorOptions {
  /** Used by one simulator at a time. Null keeps everything in memory. */
  dataDir: string | null;
  host: string;
  port: number;
  /** The base address of QR code links. Default: the simulator's own address. */
  publicUrl?: string | (() => string);
  qrLifetimesMs?: readonly number[];
  /** Returns the response to a request that must be refused because of its headers, or null. Default: refuses none. */
  refuse?: Refuse;
  logger: SimulatorLogger;
}

export interface Simulator {
  /** Without a trailing slash. */
  url: string;
  close(): Promise<void>;
}

const maxJournalBytes = 256 * 1024 * 1024;

/** The lifetimes on the real network. */
const defaultQrLifetimesMs = [60_000, 20_000, 20_000, 20_000, 20_000, 20_000];

/** Rejects with `SimulatorAlreadyRunning` when another process serves `dataDir`. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { dataDir, host, logger, port } = options;
  const listening = Promise.withResolvers<string>();
  await using held = new AsyncDisposableStack();
  if (dataDir !== null) {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const lock = await lockDirectory(dataDir, listening.promise);
    held.defer(() => lock.release());
  }
  held.defer(() => listening.resolve(''));
  const state = new NetworkState();
  const journal = await Journal.open<Fact, LinkedDevice[]>(
    dataDir === null ? null : join(dataDir, 'journal.jsonl'),
    (fact) => state.apply(fact),
    {
      maxBytes: maxJournalBytes,
      entries: () => state.facts(),
      onFailure: (error) => logger.error({ err: error }, 'the journal could not be rewritten'),
    },
  );
  held.defer(() => journal.close());
  let ownUrl = '';
  const { publicUrl = () => ownUrl } = options;
  const network = new Network({
    state,
    journal,
    mediaStore: await openMediaStore(dataDir === null ? null : join(dataDir, 'media')),
    publicUrl: typeof publicUrl === 'string' ? () => publicUrl : publicUrl,
    qrLifetimesMs: options.qrLifetimesMs ?? defaultQrLifetimesMs,
    onError: (error) => logger.error({ err: error }, 'the simulated network failed'),
  });
  const { refuse = () => null } = options;
  const app = createHttpApp(logger, refuse);
  held.defer(() => app.close());
  registerRoutes(app, network);
  await registerChatPage(app);
  const devices = new DeviceEndpoint(app.server, network, { logger, refuse });
  held.defer(() => devices.close());
  ownUrl = await app.listen({ host, port });
  listening.resolve(ownUrl);
  logger.info({ url: ownUrl }, 'the simulated messaging network is up');
  const running = held.move();
  return { url: ownUrl, close: () => running.disposeAsync() };
}
