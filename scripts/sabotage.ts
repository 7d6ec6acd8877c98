import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startTestServer } from '../server/test/test-server.ts';
import { commitSabotage, type Verdict } from './sabotage/commit-sabotage.ts';
import { defects } from './sabotage/defects.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    jobs: { type: 'string', default: String(availableParallelism()) },
  },
});

/**
 * `npm run sabotage [-- --only name… --jobs N]`: puts each known mistake into a copy of the tree and asks the test that
 * is named for it. Fails when one is not caught.
 */
async function sabotage(): Promise<boolean> {
  const chosen = defects.filter(({ name }) => values.only.length === 0 || values.only.includes(name));
  if (chosen.length === 0) throw new Error(`no defect is called ${values.only.join(' or ')}`);
  const tree = fileURLToPath(new URL('..', import.meta.url));
  const server = await startTestServer();
  let caught = 0;
  try {
    const options = { serverUrl: server.url, jobs: Number(values.jobs) };
    for await (const verdict of commitSabotage(tree, chosen, options)) {
      if (verdict.kind === 'caught') caught += 1;
      console.log(lineOf(verdict));
    }
  } finally {
    await server.release();
  }
  console.log(`\n${caught} of ${chosen.length} defects were caught`);
  return caught === chosen.length;
}

function lineOf({ defect, kind, words, seconds }: Verdict): string {
  const line = `${kind.padEnd(16)} ${defect.name.padEnd(44)} ${seconds.toFixed(1).padStart(5)} s  ${defect.test.file}`;
  return kind === 'caught' ? line : `${line}\n  ${defect.why}\n  ${defect.test.name}\n  ${words}`;
}

process.exit((await sabotage()) ? 0 : 1);
