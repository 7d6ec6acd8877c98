import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { builtConsole, consoleBuildProgram, isConsoleBuilt } from '@parley/console';
import type { FetchedImage } from '../../platform/outbound/fetch-image.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { type Brand, loadBrand } from './brand.ts';
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
