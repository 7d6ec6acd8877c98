/** What the service tells the console in its page. */
export interface Settings {
  brand: { name: string; logo: string | null };
  /** Whether the simulated network is on. */
  simulator: boolean;
  version: string;
}

const defaults: Settings = { brand: { name: 'Parley', logo: null }, simulator: false, version: '' };

function readSettings(): Settings {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="console-settings"]');
  return { ...defaults, ...JSON.parse(meta?.content ?? '{}') };
}

export const settings: Settings = readSettings();
