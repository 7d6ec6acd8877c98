import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { createParley, isParleyError, type Parley, type Run, type RunResult } from '@parley/sdk';
import { CommandFailed, type CommandInput, UsageError } from './command.ts';

const pollMs = 500;
/** Exit codes: the run shows whether the bot is good enough, or there was no run. */
const [passed, failed] = [0, 1];

/** Imports the cases of a CSV into a bot of a running service, runs all enabled cases, and prints those that fail. */
export async function testBot({ environment, values, parameters, print }: CommandInput): Promise<number> {
  const [id = ''] = parameters;
  const { cases: file, version = 'draft', json = false } = values;
  if (version !== 'draft' && version !== 'published') throw new UsageError('--version is draft or published');
  const api = createParley({
    baseUrl: need(environment, 'PARLEY_URL'),
    key: {
      key_id: need(environment, 'PARLEY_KEY_ID'),
      key_secret: need(environment, 'PARLEY_KEY_SECRET'),
    },
  });
  const { run, results } = await asCommand(async () => {
    if (typeof file === 'string') await importFile(api, id, file);
    const ended = await untilEnded(api, await api.createRun({ id, version, sources: ['cases'] }));
    return { run: ended, results: await readResults(api, ended) };
  });
  if (run.state === 'failed') throw new CommandFailed(`The run failed: ${run.error}`);
  if (json === true) print(JSON.stringify({ run, results }, null, 2));
  else for (const line of describe(run, results)) print(line);
  return run.failed === 0 && run.total > 0 ? passed : failed;
}

function need(environment: CommandInput['environment'], name: string): string {
  const value = environment[name];
  if (value === undefined || value === '') throw new UsageError(`${name} is not set`);
  return value;
}

async function importFile(api: Parley, id: string, file: string): Promise<void> {
  const csv = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandFailed(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  });
  const { refused } = await api.importCases({ id, csv });
  const [first] = refused;
  if (first !== undefined)
    throw new CommandFailed(`${file}, line ${first.row}: ${first.message} (${refused.length} rows refused)`);
}

async function untilEnded(api: Parley, { id }: Run): Promise<Run> {
  for (;;) {
    const run = await api.getRun({ id });
    if (run.state === 'finished' || run.state === 'failed') return run;
    await setTimeout(pollMs);
  }
}

async function readResults(api: Parley, { id }: Run): Promise<RunResult[]> {
  const results: RunResult[] = [];
  for await (const result of api.listRunResults({ id, limit: 100 })) results.push(result);
  return results;
}

function describe(run: Run, results: readonly RunResult[]): string[] {
  const lines = results
    .filter(({ outcome }) => outcome !== 'passed')
    .flatMap(({ outcome, name, reasons, new: { text } }) => [
      `${outcome} ${name}`,
      ...reasons.map((reason) => `  ${reason}`),
      `  the bot says: ${text === '' ? 'nothing' : text.replaceAll(/\s+/g, ' ')}`,
    ]);
  return [
    ...lines,
    run.total === 0
      ? 'The bot has no enabled cases'
      : `${run.passed} passed, ${run.failed} failed, ${run.warned} warned of ${run.total} cases`,
  ];
}

/** Turns what the service refuses into the end of the command. */
async function asCommand<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (isParleyError(error)) throw new CommandFailed(error.message);
    throw error;
  }
}
