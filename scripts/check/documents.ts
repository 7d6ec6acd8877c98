import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Lists relative links of the documents whose target does not exist. */
function findBrokenLinks(): string[] {
  const documents = globSync(['*.md', 'docs/**/*.md', 'bench/**/*.md', 'packages/*/*.md']);
  return documents.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)(#[^)]*)?\)/g)]
      .filter(([, target = '']) => !existsSync(join(dirname(path), target)))
      .map(([, target]) => `${path} links to ${target}, which does not exist`),
  );
}

const found = findBrokenLinks();
process.stdout.write(found.map((problem) => `${problem}\n`).join(''));
process.exit(found.length === 0 ? 0 : 1);
