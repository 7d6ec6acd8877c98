import { globSync, readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { boundaryRules } from './boundary-rules.ts';
import { findCycles } from './cycles.ts';
import { type Import, importsOf } from './imports.ts';
import { type SharedStatement, sharedStatements } from './shared-statements.ts';
import { findForeignSql } from './table-ownership.ts';
import { findHiddenEffects } from './trigger-effects.ts';

/** The only readers of `process.env`: the entry points, and the code that starts PostgreSQL's programs. */
const environmentReaders = new Set([
  'server/src/process/program.ts',
  'server/src/process/cli/parley.ts',
  'server/src/platform/database/embedded/run-program.ts',
]);

/** A prepared statement fails once a migration adds a column to its result, in processes of the version before. */
const everyColumn = /\b(?:returningAll|selectAll)\(|\breturning \*|`\s*select \* from [a-z]/;

/** Returns one line for each violation of a boundary. */
export function breachesIn(
  sources: ReadonlyMap<string, string>,
  exceptions: readonly SharedStatement[] = sharedStatements,
): string[] {
  const imports: Import[] = [...sources].flatMap(([path, source]) =>
    path.endsWith('.sql') ? [] : importsOf(path, source),
  );
  const forbidden = boundaryRules.flatMap(({ says, forbids }) =>
    imports.filter(forbids).map(({ from, specifier }) => `${from} imports ${specifier}: ${says}`),
  );
  const product = [...sources].filter(
    ([path]) => path.startsWith('server/src/') && !/\.(test|contract)\.ts$/.test(path),
  );
  const environment = product
    .filter(([, source]) => source.includes('process.env'))
    .filter(([path]) => !environmentReaders.has(path))
    .map(([path]) => `${path} reads process.env: config.ts is the only reader of the environment`);
  const unlisted = product
    .filter(([, source]) => everyColumn.test(source))
    .map(
      ([path]) => `${path} reads every column of a table: list the columns, so that a migration can add one`,
    );
  const cycles = findCycles(imports).map((cycle) => `${cycle.join(' → ')}: import cycle`);
  return [
    ...forbidden,
    ...environment,
    ...unlisted,
    ...cycles,
    ...findForeignSql(sources, exceptions),
    ...findHiddenEffects(sources),
  ];
}

// import.meta.main is missing before Node 24.2, where this check would then pass without checking anything.
const [, program] = process.argv;
if (program !== undefined && realpathSync(program) === fileURLToPath(import.meta.url)) {
  const paths = globSync('{server,simulator,sdk,console,packages,scripts,bench}/**/*.{ts,tsx}', {
    exclude: (name) => name.includes('node_modules'),
  });
  paths.push(...globSync('server/schema/functions/*.sql'));
  const breaches = breachesIn(new Map(paths.map((path) => [path, readFileSync(path, 'utf8')])));
  process.stdout.write(breaches.map((breach) => `${breach}\n`).join(''));
  process.exit(breaches.length === 0 ? 0 : 1);
}
