import { useSyncExternalStore } from 'react';

/** What the service tells the console in its page. */
export interface Settings {
  brand: { name: string; logo: string | null };
  /** Whether the simulated network is on. */
  simulator: boolean;
  /** The networks on which devices can be created. The first is the default. */
  networks: readonly string[];
  /** Whether the service sends mail. */
  mail: boolean;
  version: string;
}

const defaults: Settings = {
  brand: { name: 'Parley', logo: null },
  simulator: false,
  networks: [],
  mail: false,
  version: '',
};

function readSettings(): Settings {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="console-settings"]');
  return { ...defaults, ...JSON.parse(meta?.content ?? '{}') };
}

export const settings: Settings = readSettings();

const ofPage = settings.brand;
const listeners = new Set<() => void>();

/** Shows another name and logo. Null: those of the page. */
export function changeBrand(brand: { name: string | null; logo: string | null } | null): void {
  settings.brand =
    brand === null ? ofPage : { name: brand.name ?? ofPage.name, logo: brand.logo ?? ofPage.logo };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useBrand = (): Settings['brand'] => useSyncExternalStore(subscribe, () => settings.brand);
