import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';

export interface SourcePattern {
  /** The file and the expression, like `server/src/a.ts /x+/u`. */
  name: string;
  pattern: RegExp;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const sources = ['server/src/**/*.ts', 'simulator/src/**/*.{ts,js}', 'packages/*/src/**/*.ts'];
const isProduct = (file: string): boolean => !/\.(?:test|contract)\.ts$/.test(file);

/** Returns the regular expressions of the product's sources and of the request schemas. */
export function findSourcePatterns(): SourcePattern[] {
  const files = globSync(sources, { cwd: root }).filter(isProduct).toSorted();
  return [...files.flatMap(findLiterals), ...findSchemaPatterns()];
}

function findLiterals(file: string): SourcePattern[] {
  const { program } = parseSync(file, readFileSync(`${root}/${file}`, 'utf8'));
  const found: SourcePattern[] = [];
  visit(program, ({ type, regex }) => {
    if (type !== 'Literal' || !isRegex(regex)) return;
    const pattern = new RegExp(regex.pattern, regex.flags);
    found.push({ name: `${file} ${pattern}`, pattern });
  });
  return found;
}

/** Includes expressions that the sources compose from parts. */
function findSchemaPatterns(): SourcePattern[] {
  const document: unknown = JSON.parse(readFileSync(`${root}/openapi.json`, 'utf8'));
  const patterns = new Set<string>();
  visit(document, ({ pattern }) => {
    if (typeof pattern === 'string') patterns.add(pattern);
  });
  return [...patterns].map((pattern) => ({
    name: `openapi.json /${pattern}/u`,
    pattern: new RegExp(pattern, 'u'),
  }));
}

type Node = Record<string, unknown>;

function visit(value: unknown, take: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) take(value as Node);
  for (const child of Object.values(value)) visit(child, take);
}

const isRegex = (value: unknown): value is { pattern: string; flags: string } =>
  typeof value === 'object' && value !== null && 'pattern' in value && 'flags' in value;
