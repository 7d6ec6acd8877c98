import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Relative links of the documents that lead nowhere, one line each. */
function brokenLinks(): string[] {
  const documents = globSync(['*.md', 'docs/**/*.md', 'bench/**/*.md', 'packages/*/*.md']);
  return documents.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)(#[^)]*)?\)/g)]
      .filter(([, target = '']) => !existsSync(join(dirname(path), target)))
      .map(([, target]) => `${path} links to ${target}, which does not exist`),
  );
}

const found = brokenLinks();
process.stdout.write(found.map((fault) => `${fault}\n`).join(''));
process.exit(found.length === 0 ? 0 : 1);
