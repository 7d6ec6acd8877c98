import type { Import } from './imports.ts';

/** Returns import cycles, type-only ones included: each as its files, with the first repeated at the end. */
export function findCycles(imports: readonly Import[]): string[][] {
  const edges = new Map<string, string[]>();
  for (const { from, target } of imports) {
    if (!/\.tsx?$/.test(target)) continue;
    edges.set(from, [...(edges.get(from) ?? []), target]);
  }
  const cycles: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start !== -1) {
      cycles.push([...path.slice(start), file]);
      return;
    }
    if (done.has(file)) return;
    for (const target of edges.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of edges.keys()) visit(file, []);
  return cycles;
}
