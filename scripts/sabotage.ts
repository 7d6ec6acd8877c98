import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { startTestServer } from '../server/test/test-server.ts';
import { readCount, readOptions, refuseUse } from './command-line.ts';
import { defects } from './sabotage/defects.ts';
import { type DefectResult, runDefects } from './sabotage/run-defects.ts';

const usage = 'npm run sabotage -- [--only name]… [--jobs N]';
const values = readOptions(usage, {
  only: { type: 'string', multiple: true, default: [] },
  jobs: { type: 'string', default: String(availableParallelism()) },
});
const jobs = readCount(usage, 'jobs', values.jobs);
const known = new Set(defects.map(({ name }) => name));
const unknown = values.only.filter((name) => !known.has(name));
if (unknown.length > 0) refuseUse(usage, `No defect is called ${unknown.join(' or ')}`);

/** Puts each defect into a copy of the tree and runs its test. Returns false when a defect is not caught. */
async function sabotage(): Promise<boolean> {
  const chosen = defects.filter(({ name }) => values.only.length === 0 || values.only.includes(name));
  const tree = fileURLToPath(new URL('..', import.meta.url));
  const server = await startTestServer();
  let caught = 0;
  try {
    const options = { serverUrl: server.url, jobs };
    for await (const result of runDefects(tree, chosen, options)) {
      if (result.kind === 'caught') caught += 1;
      console.log(formatResult(result));
    }
  } finally {
    await server.release();
  }
  console.log(`\n${caught} of ${chosen.length} defects were caught`);
  return caught === chosen.length;
}

function formatResult({ defect, kind, message, seconds }: DefectResult): string {
  const line = `${kind.padEnd(16)} ${defect.name.padEnd(44)} ${seconds.toFixed(1).padStart(5)} s  ${defect.test.file}`;
  return kind === 'caught' ? line : `${line}\n  ${defect.why}\n  ${defect.test.name}\n  ${message}`;
}

process.exit((await sabotage()) ? 0 : 1);
