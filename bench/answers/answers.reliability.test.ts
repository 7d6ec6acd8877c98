import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startFakeModels } from '../../server/test/fake-models/fake-models.ts';

const fakes = await startFakeModels();
after(() => fakes.stop());
const program = fileURLToPath(new URL('answers.ts', import.meta.url));

test('measures the answers of a configured model, and of documents at OpenAI', async (t) => {
  for (const provider of ['openai', 'openai-hosted']) {
    const out = await mkdtemp(join(tmpdir(), 'parley-answers-test-'));
    t.after(() => rm(out, { recursive: true, force: true }));
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
