import { setTimeout as delay } from 'node:timers/promises';
import { SimulatorAlreadyRunning, waitForRelease } from './data-lock.ts';
import { type SimulatorOptions, startSimulator } from './simulator.ts';

/** The simulated network of a directory: run by this program or, while that one lives, by another. */
export interface JoinedSimulator {
  /** Where it is now. It moves when another program takes it over and finds the port in use. */
  url(): string;
  close(): Promise<void>;
}

interface Place {
  url: string;
  /** Null while another program runs it. */
  close: (() => Promise<void>) | null;
}

const RETRY_MS = 1000;

/**
 * Starts the simulator of `dataDir`, or uses the one that another program runs there and takes over when that program
 * ends: on the same state and, so that whoever knows the address finds it again, on the same port.
 */
export async function joinSimulator(
  options: SimulatorOptions & { dataDir: string },
): Promise<JoinedSimulator> {
  const { dataDir, logger } = options;
  const leaving = new AbortController();
  let place = await startOrFind(options);
  if (place.close === null)
    logger.info({ url: place.url }, 'another program runs the simulated network; using it');

  const takeOver = () =>
    startOrFind({ ...options, port: Number(new URL(place.url).port) }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error;
        return startOrFind(options);
      },
    );

  const succeed = async () => {
    while (place.close === null) {
      await waitForRelease(dataDir, leaving.signal);
      if (leaving.signal.aborted) return;
      try {
        place = await takeOver();
      } catch (error) {
        logger.error({ err: error, url: place.url }, 'the simulated network could not be taken over');
        await delay(RETRY_MS, undefined, { signal: leaving.signal, ref: false }).catch(() => undefined);
      }
    }
  };
  const succeeding = succeed();

  return {
    url: () => place.url,
    async close() {
      leaving.abort();
      await succeeding;
      await place.close?.();
    },
  };
}

async function startOrFind(options: SimulatorOptions): Promise<Place> {
  try {
    return await startSimulator(options);
  } catch (error) {
    if (!(error instanceof SimulatorAlreadyRunning)) throw error;
    return { url: error.url, close: null };
  }
}
