import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Lists relative links of the documents whose target does not exist. */
function findBrokenLinks(): string[] {
  const documents = globSync(['*.md', 'docs/**/*.md', 'bench/**/*.md', 'packages/*/*.md', 'sdk/*.md']);
  return documents.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)(#[^)]*)?\)/g)]
      .filter(([, target = '']) => !existsSync(join(dirname(path), target)))
      .map(([, target]) => `${path} links to ${target}, which does not exist`),
  );
}

/** Lists source files that ARCHITECTURE.md names in backticks, whole or by the end of their path, and that do not exist. */
function findMissingFiles(): string[] {
  const files = globSync('{server,simulator,sdk,console,packages,scripts,bench,docs}/**/*.{ts,tsx,md}', {
    exclude: (name) => name.includes('node_modules'),
  });
  const named = readFileSync('ARCHITECTURE.md', 'utf8').matchAll(/`([\w./-]+\.(?:tsx?|md))`/g);
  return [...new Set([...named].map(([, name = '']) => name))]
    .filter((name) => !/^x[.-]/.test(name))
    .filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))
    .map((name) => `ARCHITECTURE.md names ${name}, which does not exist`);
}

const found = [...findBrokenLinks(), ...findMissingFiles()];
process.stdout.write(found.map((problem) => `${problem}\n`).join(''));
process.exit(found.length === 0 ? 0 : 1);
