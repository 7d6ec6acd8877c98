import type { Manifest } from './packaged-manifest.ts';

interface LockFile {
  packages: Record<string, { dev?: boolean; link?: boolean }>;
}

/** Returns the lock file of the package: the versions that this project was tested with, without its workspaces and tools. */
export function shrinkwrap(lock: LockFile, { name, version, ...manifest }: Manifest): object {
  const wanted = new Set(Object.keys(manifest.dependencies ?? {}));
  const packages = Object.entries(lock.packages).flatMap(([path, { dev, ...entry }]) => {
    const isOurs = !path.startsWith('node_modules/') || entry.link === true;
    const isUnused = dev === true && !wanted.has(path.slice('node_modules/'.length));
    return isOurs || isUnused ? [] : [[path, entry] as const];
  });
  const { dependencies, optionalDependencies, bin, engines, license } = manifest;
  const root = { name, version, license, bin, engines, dependencies, optionalDependencies };
  return {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: { '': root, ...Object.fromEntries(packages) },
  };
}
