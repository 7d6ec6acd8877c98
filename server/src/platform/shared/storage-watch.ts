import { statfs } from 'node:fs/promises';

/** Knows whether writes fail because a disk is full. */
export interface StorageWatch {
  /** Call when a write failed because the disk of the database or of the files is full. */
  noteFull(): void;
  hasRoom(): Promise<boolean>;
  /** Whether the disk should be looked after before writes fail. */
  isLow(): Promise<boolean>;
}

const leastFreeBytes = 32 * 1024 ** 2;
const lowFreeBytes = 1024 ** 3;
/** The disk of a database elsewhere cannot be read, so its failures count for a while. */
const fullForMs = 15_000;

/** `path` is on the disk of the database or of the files, null if both are elsewhere. */
export function createStorageWatch(path: string | null): StorageWatch {
  let fullUntil = 0;
  const hasFree = async (bytes: number) => {
    if (performance.now() < fullUntil) return false;
    return path === null || (await readFreeBytes(path)) >= bytes;
  };
  return {
    noteFull() {
      fullUntil = performance.now() + fullForMs;
    },
    hasRoom: () => hasFree(leastFreeBytes),
    // A directory that cannot be read fails other checks.
    isLow: () =>
      hasFree(lowFreeBytes).then(
        (isFree) => !isFree,
        () => false,
      ),
  };
}

export async function readFreeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}
