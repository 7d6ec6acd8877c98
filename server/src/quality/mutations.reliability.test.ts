import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDocument, addTeam } from '../../test/bots.ts';
import { type ChatApp, startChatApp, startTestService } from '../../test/chats.ts';
import { createRunJob } from '../../test/run-cases.ts';

/** The wire form of a reply of a model. */
const complete = (tool: string, given: object) => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'scripted',
  choices: [
    {
      index: 0,
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call', type: 'function', function: { name: tool, arguments: JSON.stringify(given) } },
        ],
      },
    },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

/** Answers only from what the prompt says: a damaged prompt leads to another answer. */
const scriptedModel = await startTestService((_, response) => {
  const body = JSON.parse(scriptedModel.requests.at(-1)?.body ?? '{}');
  const prompt = JSON.stringify(body);
  const question = JSON.stringify(body.messages.findLast(({ role }: { role: string }) => role === 'user'));
  const hasResult = body.messages.some(({ role }: { role: string }) => role === 'tool');
  const lookUp = body.tools?.find(({ function: { description = '' } }) =>
    description.includes('status of an order'),
  );
  const found = (pattern: RegExp) => pattern.exec(prompt)?.[0] ?? 'I do not know.';
  const text = question.includes('How high is the deposit')
    ? found(/deposit of \w+ euros/)
    : question.includes('How much does a helmet cost')
      ? found(/From \d{4} on a helmet costs \d+ euros/)
      : question.includes('what does a tandem cost')
        ? found(/tandem costs \d+ euros/)
        : 'Hello.';
  const signed = /Sign every answer with (\w+)/.exec(prompt)?.[1] ?? '';
  const reply =
    question.includes('status of my order') && lookUp !== undefined && !hasResult
      ? complete(lookUp.function.name, { number: 'A-17' })
      : complete('reply', { text: `${text} ${signed}`, sources: [] });
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(reply));
});

const apps: Record<string, ChatApp> = {
  'the embedded provider': await startChatApp(),
  'a scripted model': await startChatApp({
    environment: {
      ASSISTANT_PROVIDER: 'openai-compatible',
      MODEL_BASE_URL: `${scriptedModel.url}/v1`,
      MODEL_LEVEL_1: 'scripted',
    },
  }),
};

const deposit = 'A deposit of forty euros is taken for each bicycle.';
const helmet = 'From 2027 on a helmet costs 5 euros a day.';
const tandem = { question: 'How much is a tandem?', answer: 'A tandem costs 40 euros a day.' };
const action = {
  name: 'Lookup',
  description: 'Looks up the status of an order',
  endpoint: 'http://127.0.0.1:1/{{number}}',
};

const cases = [
  ['what does a tandem cost', { kind: 'contains', text: '40 euros' }],
  ['How high is the deposit for a bicycle?', { kind: 'contains', text: 'forty euros' }],
  ['How much does a helmet cost?', { kind: 'contains', text: '2027' }],
  ['What is the status of my order, number A-17?', { kind: 'calls_action', name: 'Lookup' }],
] as const;

async function createBot(app: ChatApp) {
  const teamId = await addTeam(app.context);
  const add = async (text: string) => (await addDocument(app.context, teamId, text)).id;
  const [depositId, helmetId] = [await add(deposit), await add(helmet)];
  const good = {
    instructions: 'Sign every answer with Ada.',
    questions: [tandem],
    actions: [action],
    document_ids: [depositId, helmetId],
  };
  const { body } = await app.api('POST', '/bots', { body: { team_id: teamId, name: 'Desk', ...good } });
  const botId: string = body.data.id;
  const damages: Record<string, object> = {
    pair: { questions: [{ ...tandem, answer: 'A tandem costs 45 euros a day.' }] },
    passage: { document_ids: [await add(deposit.replace('forty', 'ninety')), helmetId] },
    "a document's date": { document_ids: [depositId, await add(helmet.replace('2027', '2021'))] },
    "an action's description": { actions: [{ ...action, description: 'Tells the weather of tomorrow' }] },
  };
  const job = createRunJob(app);
  /** Returns the id of the run that the gate starts or names. */
  const publish = async () => {
    const { status, body: refused } = await app.api('POST', `/bots/${botId}/publish`);
    return { status, reason: refused.details?.reason, runId: refused.details?.run_id };
  };
  const publishThroughGate = async () => {
    const first = await publish();
    if (first.reason !== 'gate_running') return first;
    await job.run({ runId: first.runId }, new AbortController().signal);
    return publish();
  };
  const reasonsOf = async (runId: string) =>
    JSON.stringify((await app.api('GET', `/runs/${runId}/results`)).body.data);
  return { botId, good, damages, job, publishThroughGate, reasonsOf };
}

for (const [name, app] of Object.entries(apps)) {
  test(`the gate notices each kind of damage with ${name}`, async () => {
    const { botId, good, damages, publishThroughGate, reasonsOf } = await createBot(app);
    const isModel = app.context.provider.generatesText;
    for (const [text, check] of cases)
      await app.api('POST', `/bots/${botId}/cases`, {
        body: { messages: [{ role: 'contact', text }], checks: [check] },
      });
    if (isModel) {
      damages['instruction'] = { instructions: 'Answer briefly.' };
      await app.api('POST', `/bots/${botId}/cases`, {
        body: {
          messages: [{ role: 'contact', text: 'Who are you?' }],
          checks: [{ kind: 'contains', text: 'Ada' }],
        },
      });
    }
    await app.api('PUT', `/bots/${botId}/gate`, {
      body: { min_pass: 0.99, max_worse: 0, sources: ['cases'] },
    });
    const mended = async (what: string) => {
      const { status, runId } = await publishThroughGate();
      assert.equal(status, 200, `${what}: ${runId === undefined ? '' : await reasonsOf(runId)}`);
    };
    await mended('unchanged');
    for (const [damage, changes] of Object.entries(damages)) {
      await app.api('PATCH', `/bots/${botId}`, { body: changes });
      const refused = await publishThroughGate();
      assert.equal(refused.reason, 'gate_failed', damage);
      await app.api('PATCH', `/bots/${botId}`, { body: good });
      await mended(damage);
    }
  });

  test(`an unchanged bot passes 100 runs of 100 with ${name}`, async () => {
    const { botId, job } = await createBot(app);
    for (const [text, check] of cases)
      await app.api('POST', `/bots/${botId}/cases`, {
        body: { messages: [{ role: 'contact', text }], checks: [check] },
      });
    const outcomes = new Map<string, number>();
    for (let run = 0; run < 100; run += 1) {
      const created = await app.api('POST', `/bots/${botId}/runs`, { body: {} });
      await job.run({ runId: created.body.data.id }, new AbortController().signal);
      const { passed, failed, warned } = (await app.api('GET', `/runs/${created.body.data.id}`)).body.data;
      const outcome = JSON.stringify({ answered: passed + warned, failed });
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    assert.deepEqual([...outcomes], [[JSON.stringify({ answered: cases.length, failed: 0 }), 100]]);
  });
}
