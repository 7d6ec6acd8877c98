type Versions = Readonly<Record<string, string>>;

export interface Manifest {
  name: string;
  version: string;
  devDependencies?: Versions;
  dependencies?: Versions;
  optionalDependencies?: Versions;
  [member: string]: unknown;
}

/** The demo uses them to read QR codes. Otherwise they are needed for development only. */
const demoLibraries = ['jsqr', 'pngjs'];

const dropped = new Set(['private', 'workspaces', 'scripts', 'devDependencies', 'allowScripts']);

/** Returns the manifest of the package: it depends on what the workspaces depend on, and contains the workspaces. */
export function packagedManifest(root: Manifest, workspaces: readonly Manifest[]): Manifest {
  const kept = Object.entries(root).filter(([member]) => !dropped.has(member));
  const forDemo = demoLibraries.map((name) => [name, root.devDependencies?.[name] ?? ''] as const);
  const dependencies = workspaces.flatMap((workspace) => Object.entries(workspace.dependencies ?? {}));
  return {
    ...(Object.fromEntries(kept) as Manifest),
    dependencies: sorted([...dependencies, ...forDemo].filter(([name]) => !name.startsWith('@parley/'))),
    optionalDependencies: sorted(
      [root, ...workspaces].flatMap((workspace) => Object.entries(workspace.optionalDependencies ?? {})),
    ),
  };
}

const sorted = (versions: readonly (readonly [string, string])[]): Versions =>
  Object.fromEntries(versions.toSorted(([a], [b]) => (a < b ? -1 : 1)));
