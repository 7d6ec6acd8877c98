import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { startTestServer } from '../server/test/test-server.ts';
import { readCount, readOptions, refuseUse } from './command-line.ts';
import { commitSabotage, type Verdict } from './sabotage/commit-sabotage.ts';
import { defects } from './sabotage/defects.ts';

const usage = 'npm run sabotage -- [--only name]… [--jobs N]';
const values = readOptions(usage, {
  only: { type: 'string', multiple: true, default: [] },
  jobs: { type: 'string', default: String(availableParallelism()) },
});
const jobs = readCount(usage, 'jobs', values.jobs);
const known = new Set(defects.map(({ name }) => name));
const unknown = values.only.filter((name) => !known.has(name));
if (unknown.length > 0) refuseUse(usage, `No defect is called ${unknown.join(' or ')}`);

/**
 * Puts each known mistake into a copy of the tree and asks the test that is named for it. False when one is not caught.
 */
async function sabotage(): Promise<boolean> {
  const chosen = defects.filter(({ name }) => values.only.length === 0 || values.only.includes(name));
  const tree = fileURLToPath(new URL('..', import.meta.url));
  const server = await startTestServer();
  let caught = 0;
  try {
    const options = { serverUrl: server.url, jobs };
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
