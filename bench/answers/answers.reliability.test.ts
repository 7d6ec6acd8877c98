import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { calibration } from '../../server/src/knowledge/search/calibration.ts';
import { startFakeModels } from '../../server/test/fake-models/fake-models.ts';

const fakes = await startFakeModels();
after(() => fakes.stop());
const program = fileURLToPath(new URL('answers.ts', import.meta.url));
/** Percentage points by which a set may get worse than in the committed report. */
const tolerance = 2;

test('measures the answers of a configured model, and of documents at OpenAI', async (t) => {
  for (const provider of ['openai', 'openai-hosted']) {
    const out = await temporaryFolder(t);
    const before = (await fakes.requests('quoting')).length;
    const args = [program, '--questions', '1', '--languages', 'en', '--out', out];
    await promisify(execFile)(process.execPath, args, {
      env: {
        PATH: process.env['PATH'],
        TMPDIR: process.env['TMPDIR'],
        ASSISTANT_PROVIDER: provider,
        MODEL_API_KEY: 'sk-test',
        MODEL_BASE_URL: `${fakes.url}/v1`,
        // This model quotes the best passage that it gets.
        MODEL_LEVEL_1: 'quoting',
      },
    });
    const rows = (await readFile(join(out, 'answers.md'), 'utf8'))
      .split('\n')
      .filter((line) => /^\| en/.test(line));
    assert.ok(rows.length > 1, provider);
    for (const row of rows) assert.match(row, /^\| en \| \w+ \|/);
    assert.equal((await fakes.requests('quoting')).length - before >= rows.length, true);
  }
});

test('answers the committed sets as well as the committed report says', async (t) => {
  const out = await temporaryFolder(t);
  await run(program, '--out', out, '--without-floor');
  const measured = await readFigures(join(out, 'answers.md'));
  const committed = await readFigures(fileURLToPath(new URL('../results/answers.md', import.meta.url)));
  assert.deepEqual([...measured.keys()], [...committed.keys()]);
  for (const [set, { right, wrong, offTopic }] of committed) {
    const now = measured.get(set);
    const isWorse = (before: number, after: number) =>
      Number.isNaN(before) !== Number.isNaN(after) || after - before > tolerance;
    assert.ok(now !== undefined && !isWorse(-right, -now.right), `${set}: right ${now?.right}, was ${right}`);
    assert.ok(!isWorse(wrong, now.wrong), `${set}: wrong ${now.wrong}, was ${wrong}`);
    assert.ok(!isWorse(offTopic, now.offTopic), `${set}: off topic ${now.offTopic}, was ${offTopic}`);
  }
});

test('reproduces the coefficients of passages from the committed sets', async (t) => {
  const file = join(await temporaryFolder(t), 'calibration.json');
  await run(fileURLToPath(new URL('calibrate.ts', import.meta.url)), file);
  assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), calibration);
});

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-answers-test-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, args, {
    env: { PATH: process.env['PATH'], TMPDIR: process.env['TMPDIR'] },
  });

/** Reads the rows of a report, by language, questions, documents and layout. */
async function readFigures(report: string) {
  const table = (await readFile(report, 'utf8')).split('\n').filter((line) => line.startsWith('|'));
  // The first two lines are the header.
  const rows = table.slice(2);
  return new Map(
    rows.map((row) => {
      const [language, style, documents, layout, right, wrong, , offTopic] = row.slice(2).split(' | ');
      return [
        [language, style, documents, layout].join(', '),
        { right: Number(right), wrong: Number(wrong), offTopic: Number(offTopic) },
      ];
    }),
  );
}
