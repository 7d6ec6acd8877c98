import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createParley } from '@parley/sdk';
import { createDeployment, key } from '../start-stop/deployment.ts';
import { runParley } from './run-parley.ts';

test('parley test runs the cases of a file on a running service', async () => {
  const deployment = await createDeployment();
  const service = await deployment.start();
  const api = createParley({ baseUrl: service.url, key });
  const user = { name: 'Ada', email: 'ada@example.com' };
  const { team } = await api.createTeam({ team: { name: 'Harbour Bikes' }, user });
  const questions = [{ question: 'How much is a tandem?', answer: 'A tandem costs 40 euros a day.' }];
  const { id } = await api.createBot({ team_id: team.id, name: 'Harbour', questions });
  const environment = {
    PARLEY_URL: service.url,
    PARLEY_KEY_ID: key.key_id,
    PARLEY_KEY_SECRET: key.key_secret,
  };
  const file = join(deployment.dataDir, 'cases.csv');
  const parley = (...args: string[]) => runParley(['test', ...args], environment);

  await writeFile(file, 'question,contains\nwhat does a tandem cost,40 euros\n');
  const passed = await parley(id, '--cases', file);
  assert.deepEqual([passed.code, passed.stdout], [0, '1 passed, 0 failed, 0 warned of 1 cases\n']);

  await writeFile(file, 'question,contains\nwhat does a tandem cost,50 euros\n');
  const failed = await parley(id, '--cases', file);
  assert.equal(failed.code, 1);
  assert.match(failed.stdout, /^failed what does a tandem cost\n {2}the answer does not contain “50 euros”/);
  const { run, results } = JSON.parse((await parley(id, '--json')).stdout);
  assert.deepEqual([run.failed, results[0].new.text], [1, questions[0]?.answer]);

  await writeFile(file, 'question,max_ms\nWhen?,soon\n');
  assert.match((await parley(id, '--cases', file)).stderr, /cases\.csv, line 2: max_ms must be a number/);
  assert.match((await parley(id, '--cases', `${file}.none`)).stderr, /cannot be read/);
  assert.match((await parley(id, '--version', 'published')).stderr, /no published version/);
  assert.match((await parley(team.id)).stderr, /The bot does not exist/);
  const unset = await runParley(['test', id], { ...environment, PARLEY_KEY_ID: '' });
  assert.deepEqual([unset.code, /PARLEY_KEY_ID is not set/.test(unset.stderr)], [2, true]);
});
