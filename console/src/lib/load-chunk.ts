const retryMs = 1_000;
/** A browser may remember that a chunk failed. Only a new page asks the service again. */
const failuresBeforeReload = 3;
const maxFailures = 10;
const reloadedFor = 'console-reloaded';

const ownBuild = document.querySelector<HTMLScriptElement>('script[type="module"]')?.src ?? '';

const listeners = new Set<() => void>();
let waiting = 0;

export const isWaitingForChunk = (): boolean => waiting > 0;

export function subscribeToChunks(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function changeWaiting(by: number): void {
  waiting += by;
  for (const listener of listeners) listener();
}

/**
 * Loads a part of the console. While the service is away, it tries again until the service is back. After an upgrade, which removes the parts
 * of the open page, it reloads the page once. Throws if the service is there but the part is not.
 */
export async function loadChunk<Chunk>(load: () => Promise<Chunk>): Promise<Chunk> {
  try {
    return await load();
  } catch {
    changeWaiting(1);
    try {
      return await retry(load);
    } finally {
      changeWaiting(-1);
    }
  }
}

async function retry<Chunk>(load: () => Promise<Chunk>): Promise<Chunk> {
  for (let failures = 0; ; ) {
    const build = await readBuild();
    if (build !== null) {
      const isReloadNeeded = build !== ownBuild || failures >= failuresBeforeReload;
      if (isReloadNeeded && sessionStorage.getItem(reloadedFor) !== build) {
        sessionStorage.setItem(reloadedFor, build);
        location.reload();
        return new Promise(() => undefined);
      }
      try {
        return await load();
      } catch (error) {
        failures += 1;
        if (failures >= maxFailures) throw error;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

/** Returns the address of the main script that the service has now, or null if the service cannot be reached. */
async function readBuild(): Promise<string | null> {
  try {
    const response = await fetch('/console', { cache: 'no-store' });
    if (!response.ok) return null;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const script = page.querySelector('script[type="module"]')?.getAttribute('src') ?? '';
    return new URL(script, location.origin).href;
  } catch {
    return null;
  }
}
