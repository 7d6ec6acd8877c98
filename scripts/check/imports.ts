import { dirname, join, normalize } from 'node:path';

/** One import or re-export of a source file. */
export interface Import {
  /** Path from the repository's root. */
  from: string;
  /** Path from the root, or the package's name. */
  target: string;
  specifier: string;
  /** Exported names; empty for side effects, `*` for namespaces. */
  names: readonly string[];
  typeOnly: boolean;
}

const statement =
  /^[ \t]*(?:import|export)\s+(?<type>type\s+)?(?:(?<clause>[\w$*{][^'";]*?)\s+from\s+)?['"](?<specifier>[^'"]+)['"]/gm;
const dynamic = /\bimport\(\s*['"](?<specifier>[^'"]+)['"]\s*\)/g;

/** Returns the imports of a file, without those in comments. */
export function importsOf(from: string, source: string): Import[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
  const found: Import[] = [];
  for (const { groups } of code.matchAll(statement)) {
    const { specifier = '', clause = '', type } = groups ?? {};
    found.push({
      ...resolve(from, specifier),
      names: namesIn(clause),
      typeOnly: type !== undefined || onlyTypes(clause),
    });
  }
  for (const { groups } of code.matchAll(dynamic)) {
    found.push({ ...resolve(from, groups?.['specifier'] ?? ''), names: ['*'], typeOnly: false });
  }
  return found;
}

function resolve(from: string, specifier: string): Pick<Import, 'from' | 'target' | 'specifier'> {
  if (specifier.startsWith('.'))
    return { from, specifier, target: normalize(join(dirname(from), specifier)) };
  const parts = specifier.split('/');
  const packageName = specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier);
  return { from, specifier, target: packageName };
}

function namesIn(clause: string): string[] {
  if (clause.includes('*')) return ['*'];
  return clause
    .replaceAll(/[{}]/g, ',')
    .split(',')
    .map(
      (part) =>
        part
          .trim()
          .replace(/^type\s+/, '')
          .split(/\s+as\s+/)[0] ?? '',
    )
    .filter((name) => name !== '');
}

function onlyTypes(clause: string): boolean {
  const inner = /^\{([\s\S]*)\}$/.exec(clause.trim())?.[1];
  if (inner === undefined) return false;
  const parts = inner.split(',').filter((part) => part.trim() !== '');
  return parts.length > 0 && parts.every((part) => /^\s*type\s/.test(part));
}
