import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { builtConsole, consoleBuildProgram, isConsoleBuilt } from '@parley/console';
import type { FetchedImage } from '../../platform/outbound/fetch-image.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { type ConsoleFile, readConsoleFiles } from './console-files.ts';

/** The console as it is served. */
export interface Console {
  brand: Brand;
  files: ReadonlyMap<string, ConsoleFile>;
  version: string;
}

/** Reads the console. `npm ci` built it; after a change of the sources, this builds it again in a child process. */
export async function openConsole(options: {
  brand: { name: string; color: string; logoUrl: string | null };
  fetchImage: (url: string) => Promise<FetchedImage>;
  logger: Logger;
  signal: AbortSignal;
}): Promise<Console> {
  const { logger, fetchImage, signal } = options;
  const [brand, files, { version }] = await Promise.all([
    loadBrand({ ...options.brand, fetchImage, logger }),
    buildIfStale(logger, signal).then(() => readConsoleFiles(builtConsole)),
    readFile(new URL('../../../package.json', import.meta.url), 'utf8').then(JSON.parse),
  ]);
  return { brand, files, version };
}

async function buildIfStale(logger: Logger, signal: AbortSignal): Promise<void> {
  if (await isConsoleBuilt()) return;
  logger.info('building the console, because its sources have changed or `npm ci` did not build it');
  const child = spawn(process.execPath, [consoleBuildProgram], {
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  });
  const output: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`The console could not be built: ${Buffer.concat(output)}`);
  logger.info('the console is built');
}

/** How the console presents itself. */
export interface Brand {
  name: string;
  /** The accent colour, like `#0b5cad`. */
  color: string;
  logo: FetchedImage | null;
}

const logoTypes = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);
const maxLogoBytes = 512 * 1024;

/** Fetches the logo once, so that browsers need no other host. Without a usable one, the console shows its own mark. */
export async function loadBrand(options: {
  name: string;
  color: string;
  logoUrl: string | null;
  fetchImage: (url: string) => Promise<FetchedImage>;
  logger: Pick<Logger, 'warn'>;
}): Promise<Brand> {
  const { name, color, logoUrl } = options;
  return {
    name,
    color,
    logo: logoUrl === null ? null : await loadLogo(options, logoUrl),
  };
}

async function loadLogo(
  { fetchImage, logger }: Parameters<typeof loadBrand>[0],
  url: string,
): Promise<FetchedImage | null> {
  try {
    const logo = await fetchImage(url);
    if (logoTypes.has(logo.mimeType) && logo.bytes.length <= maxLogoBytes) return logo;
    const { mimeType, bytes } = logo;
    logger.warn(
      { url, mimeType, bytes: bytes.length },
      'BRAND_LOGO_URL must be a PNG, JPEG, WebP or GIF of at most 512 KiB; the console shows no logo',
    );
  } catch (error) {
    logger.warn({ url, err: error }, 'BRAND_LOGO_URL could not be fetched; the console shows no logo');
  }
  return null;
}
