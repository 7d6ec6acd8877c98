import { startFakeModels } from '../../server/test/fake-models/fake-models.ts';
import { readHandbook } from '../answers/answer-sets.ts';
import { openLibrary } from '../answers/library.ts';
import { openAnswering, questions } from '../rig/answering-deployment.ts';
import { type Chat, type Chats, createChats } from '../rig/chats.ts';
import { median } from '../rig/median.ts';
import type { Rig } from '../rig/rig.ts';
import type { Figure, FigureRow } from './row.ts';

const conversations = 200;
/** The default of MODEL_CONCURRENCY, and a value for a provider with high limits. */
const limits = [16, 100];
/** Of few teams, each may use a large share of the limit. */
const teamCounts = [50, 1];
const modelLatencyMs = 1000;
const fast = 'fast';
const slow = 'slow';

/** Measures what Parley adds to the calls of a language model. The model is a fake in another process. */
export const modelAnswers: FigureRow = {
  name: 'model-answers',
  work: `answers of a language model, ${conversations} conversations`,
  async measure(rig) {
    await using cleanup = new AsyncDisposableStack();
    const fakes = await startFakeModels();
    cleanup.defer(() => fakes.stop());
    const baseUrl = `${fakes.url}/v1`;
    await fakes.setUsualReply(slow, { text: 'We open at nine.', delayMs: modelLatencyMs });
    const figures = await measureCpu(rig, baseUrl, async () => (await fakes.requests(fast)).at(-1)?.body);
    for (const teams of teamCounts) {
      for (const limit of limits) figures.push(await measureThroughput(rig, baseUrl, { teams, limit }));
    }
    return figures;
  },
};

const modelSettings = (baseUrl: string, model: string) => ({
  ASSISTANT_PROVIDER: 'openai-compatible',
  MODEL_BASE_URL: baseUrl,
  MODEL_LEVEL_1: model,
});

/**
 * Compares the CPU time of this process for a step of the assistant provider, from the search to the reading of the response, with
 * that for the same request sent with fetch.
 */
async function measureCpu(
  { effort }: Rig,
  baseUrl: string,
  getLastRequest: () => Promise<object>,
): Promise<Figure[]> {
  const library = await openLibrary(modelSettings(baseUrl, fast));
  try {
    const { documents, probes } = await readHandbook();
    const text = documents
      .flatMap(({ paragraphs }) => paragraphs.map((paragraph) => paragraph.text))
      .join('\n\n');
    const stored = await library.store([text]);
    const questions = probes.map(({ question }) => question);
    const step = (n: number) => stored.ask(questions[n % questions.length] ?? '');
    await step(0);
    const body = JSON.stringify(await getLastRequest());
    const headers = { 'content-type': 'application/json' };
    const request = async () => {
      const response = await fetch(`${baseUrl}/chat/completions`, { method: 'POST', headers, body });
      await response.json();
    };
    const calls = 100 * effort.secondsEach;
    const [added, floors]: [number[], number[]] = [[], []];
    // The first pair warms up.
    for (let pair = 0; pair <= effort.pairs; pair++) {
      const floor = await countCpuMs(calls, request);
      const layer = await countCpuMs(calls, step);
      if (pair === 0) continue;
      floors.push(floor);
      added.push(layer - floor);
    }
    return [
      {
        figure: 'CPU that a call of the model costs beyond its request',
        value: median(added),
        unit: ' ms',
        goal: { atMost: 3 },
      },
      { figure: 'CPU of the request, sent with fetch', value: median(floors), unit: ' ms' },
    ];
  } finally {
    await library.close();
  }
}

/** Returns the CPU time of one call in milliseconds, user and system. */
async function countCpuMs(calls: number, call: (n: number) => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < calls; n++) await call(n);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / calls;
}

async function measureThroughput(
  rig: Rig,
  baseUrl: string,
  { teams, limit }: { teams: number; limit: number },
): Promise<Figure> {
  const answering = await openAnswering(rig, `parley_model_answers_${teams}_${limit}`, {
    teams,
    settings: { ...modelSettings(baseUrl, slow), MODEL_CONCURRENCY: String(limit) },
  });
  try {
    const chats = createChats(answering.devices, conversations);
    const rounds = Math.ceil(1.5 * rig.effort.secondsEach);
    const perSecond = await countPerSecond(answering.chats, chats, { first: limit, counted: rounds * limit });
    const allowed = (limit * 1000) / modelLatencyMs;
    return {
      figure: `answers of ${teams === 1 ? '1 team' : `${teams} teams`}, of the ${allowed}/s that ${limit} calls at once of ${modelLatencyMs / 1000} s allow`,
      value: perSecond / allowed,
      unit: 'x',
      goal: { atLeast: 0.9 },
    };
  } finally {
    await answering.close();
  }
}

/** Every contact asks again after its answer. Returns the answers per second, after the `first` ones. */
async function countPerSecond(
  chats: Chats,
  askingChats: readonly Chat[],
  { first, counted }: { first: number; counted: number },
): Promise<number> {
  const times: number[] = [];
  await Promise.all(
    askingChats.map(async (chat, n) => {
      for (let turn = n; times.length < first + counted; turn++) {
        await chats.ask(chat, questions[turn % questions.length] ?? '');
        times.push(performance.now());
      }
    }),
  );
  const elapsed = (times[first + counted - 1] ?? Number.NaN) - (times[first - 1] ?? Number.NaN);
  return (counted * 1000) / elapsed;
}
