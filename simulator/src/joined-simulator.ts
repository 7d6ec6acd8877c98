import { setTimeout as delay } from 'node:timers/promises';
import { SimulatorAlreadyRunning, waitForRelease } from './data-lock.ts';
import { type SimulatorOptions, startSimulator } from './simulator.ts';

/** The simulated network of a directory, run by this process or by another one. */
export interface JoinedSimulator {
  /** Changes when another process takes over the simulator while its port is in use. */
  url(): string;
  close(): Promise<void>;
}

interface Instance {
  url: string;
  /** Null while another process runs it. */
  close: (() => Promise<void>) | null;
}

const retryMs = 1000;

/** Starts the simulator of `dataDir`, or uses the running one and takes it over, on the same port, when its process ends. */
export async function joinSimulator(
  options: SimulatorOptions & { dataDir: string },
): Promise<JoinedSimulator> {
  const { dataDir, logger } = options;
  const leaving = new AbortController();
  let instance = await startOrFind(options);
  if (instance.close === null)
    logger.info({ url: instance.url }, 'another program runs the simulated network; using it');

  const takeOver = () =>
    startOrFind({ ...options, port: Number(new URL(instance.url).port) }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error;
        return startOrFind(options);
      },
    );

  const takeOverWhenReleased = async () => {
    while (instance.close === null) {
      await waitForRelease(dataDir, leaving.signal);
      if (leaving.signal.aborted) return;
      try {
        instance = await takeOver();
      } catch (error) {
        logger.error({ err: error, url: instance.url }, 'the simulated network could not be taken over');
        await delay(retryMs, undefined, { signal: leaving.signal, ref: false }).catch(() => undefined);
      }
    }
  };
  const takingOver = takeOverWhenReleased();

  return {
    url: () => instance.url,
    async close() {
      leaving.abort();
      await takingOver;
      await instance.close?.();
    },
  };
}

async function startOrFind(options: SimulatorOptions): Promise<Instance> {
  try {
    return await startSimulator(options);
  } catch (error) {
    if (!(error instanceof SimulatorAlreadyRunning)) throw error;
    return { url: error.url, close: null };
  }
}
