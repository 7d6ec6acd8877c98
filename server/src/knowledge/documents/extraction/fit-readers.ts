import { extractionLimits } from './extractor.ts';

const MiB = 2 ** 20;

/** A server with all roles under load, and the process that starts readers. */
const serverMb = 512;
const embeddedDatabaseMb = 256;
/** A reader takes 144 MiB after ordinary PDFs. */
const leastReaderMb = 160;

interface Settings {
  ROLES: ReadonlySet<string>;
  /** Null for the embedded database. */
  DATABASE_URL: string | null;
}

interface FittingReaders {
  /** Of each role that reads documents. Zero if no reader fits. */
  concurrency: number;
  /** Of each reader. */
  memoryMb: number;
}

/** Memory of a process that may start all of its readers at their full size. */
export const memoryForAllReadersMb = (config: Settings): number =>
  reservedMb(config) + readingRoles(config) * extractionLimits.concurrency * extractionLimits.memoryMb;

/**
 * Returns the readers that fit into the memory limit of the container, so that documents cannot make the system kill the server.
 * A system without a limit returns a number larger than any memory.
 */
export function fitReaders(config: Settings, limitBytes = process.constrainedMemory()): FittingReaders {
  const { concurrency, memoryMb } = extractionLimits;
  // Node.js returns 0 if the system cannot tell.
  if (limitBytes === 0) return { concurrency, memoryMb };
  const shareMb = Math.floor((limitBytes / MiB - reservedMb(config)) / Math.max(1, readingRoles(config)));
  if (shareMb < leastReaderMb) return { concurrency: 0, memoryMb: 0 };
  const fitting = Math.min(concurrency, Math.max(1, Math.floor(shareMb / memoryMb)));
  return { concurrency: fitting, memoryMb: Math.min(memoryMb, shareMb) };
}

const reservedMb = ({ DATABASE_URL }: Settings): number =>
  serverMb + (DATABASE_URL === null ? embeddedDatabaseMb : 0);

const readingRoles = ({ ROLES }: Settings): number =>
  (['api', 'worker'] as const).filter((role) => ROLES.has(role)).length;
