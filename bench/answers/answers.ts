/**
 * Measures how well the configured provider, by default the embedded one, answers from documents: right, wrong or not at all, in three languages, with two
 * ways to split the documents into files, beside a floor. Writes `bench/results/answers.md` and all wrong answers.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCount, readOptions, refuseUse } from '../../scripts/command-line.ts';
import {
  containsAnswer,
  createFolds,
  type Fold,
  type Probe,
  pageLayouts,
  readAnswerSet,
  readCustomerSets,
  readHandbook,
  rowStyles,
  setLanguages,
  setStyles,
} from './answer-sets.ts';
import { floorAnswer } from './floor.ts';
import { type Library, mapTogether, openLibrary, type Reply, type StoredTexts } from './library.ts';

type Outcome = 'right' | 'wrong' | 'abstained' | 'answered off topic' | 'refused off topic';

interface Graded {
  probe: Probe;
  reply: string;
  outcome: Outcome;
}

interface MeasuredSet extends Fold {
  language: string;
  style: string;
  layout: keyof typeof pageLayouts;
}

interface Row extends Pick<MeasuredSet, 'language' | 'style' | 'layout'> {
  documents: string;
  graded: readonly Graded[];
  floor: readonly Graded[];
  millisecondsPerAnswer: number;
}

const textSearchConfigurations: Record<string, string> = { en: 'english', es: 'spanish', de: 'german' };
/** A prompt has to have the passage among so many. */
const firstOfPrompt = 3;
const resultsFolder = fileURLToPath(new URL('../results/', import.meta.url));

const usage =
  'npm run bench:answers [-- --questions N] [--languages en,es,de] [--styles talk,…] [--out FOLDER] [--without-floor], with the variables of docs/models.md for a language model';
const options = readOptions(usage, {
  /** Questions per line of the report. Calls of a model cost time and money. */
  questions: { type: 'string', default: '100000' },
  languages: { type: 'string', default: setLanguages.join(',') },
  /** Kinds of questions, the second column of the report. */
  styles: { type: 'string', default: rowStyles.join(',') },
  /** Where the report is written. */
  out: { type: 'string', default: resultsFolder },
  'without-floor': { type: 'boolean', default: false },
});
const maxQuestions = readCount(usage, 'questions', options.questions);
const languages = setLanguages.filter((language) => options.languages.split(',').includes(language));
if (languages.length !== options.languages.split(',').length)
  refuseUse(usage, `--languages takes ${setLanguages.join(', ')}, not ${options.languages}`);
const styles = options.styles.split(',');
if (!styles.every((style) => rowStyles.some((each) => each === style)))
  refuseUse(usage, `--styles takes ${rowStyles.join(', ')}, not ${options.styles}`);
const library = await openLibrary();
const rows: Row[] = [];
const sets = await readCustomerSets();
const isEmbedded = (process.env['ASSISTANT_PROVIDER'] ?? 'embedded') === 'embedded';
const ofNoLanguage = sets.filter(({ language }) => !setLanguages.some((each) => each === language));
for (const language of languages) {
  const before = rows.length;
  for (const style of setStyles) {
    for (const fold of createFolds(await readAnswerSet(language, style))) {
      if (fold.probes.every(({ even }) => even)) continue;
      for (const layout of ['a file per article', 'one file'] as const)
        await addRow({ ...fold, language, style, layout });
    }
  }
  for (const layout of language === 'en' ? (['one file', 'one file twice'] as const) : [])
    await addRow({ ...(await readHandbook()), language, style: 'customers', layout });
  for (const set of sets) if (set.language === language) await addRow(set);
  await writeErrors(language, rows.slice(before));
}
if (languages.length === setLanguages.length) {
  const before = rows.length;
  for (const set of ofNoLanguage) await addRow(set);
  await writeErrors('other', rows.slice(before));
}
await library.close();
await writeFile(join(options.out, 'answers.md'), report(rows));

async function addRow(set: MeasuredSet): Promise<void> {
  // Prompts do not depend on the model, so they are measured without one.
  if (!styles.includes(set.style) || (set.style === 'prompt' && !isEmbedded)) return;
  const row = await measure(library, set);
  rows.push(row);
  console.log(formatRow(row));
}

async function writeErrors(name: string, rows: readonly Row[]): Promise<void> {
  const wrong = rows.flatMap((row) => row.graded.flatMap((graded) => describeError(row, graded)));
  await mkdir(options.out, { recursive: true });
  await writeFile(join(options.out, `answers-wrong-${name}.json`), `${JSON.stringify(wrong, null, 1)}\n`);
}

async function measure(library: Library, { language, style, layout, ...fold }: MeasuredSet): Promise<Row> {
  const stored = await library.store(pageLayouts[layout](fold.documents));
  // The models were fitted on the even-numbered paragraphs.
  const probes = sample(fold.probes.filter(({ even }) => !even));
  const start = performance.now();
  const graded = await mapTogether(probes, (probe) => ask(stored, style, probe));
  const millisecondsPerAnswer = (performance.now() - start) / probes.length;
  const { documentRefs } = stored;
  const configuration = textSearchConfigurations[language];
  const hasFloor = configuration !== undefined && style !== 'prompt' && !options['without-floor'];
  const floor = hasFloor
    ? await mapTogether(probes, async (probe) => {
        const reply = await floorAnswer(library, configuration, documentRefs, probe.question);
        return grade(style, probe, { ...reply, quotes: true });
      })
    : [];
  return { language, style, documents: fold.name, layout, graded, floor, millisecondsPerAnswer };
}

async function ask(stored: StoredTexts, style: string, probe: Probe): Promise<Graded> {
  const { before, question, answer } = probe;
  if (style !== 'prompt')
    return grade(style, probe, await stored.ask(...(before === undefined ? [] : [before]), question));
  const first = (await stored.findForPrompt(question)).slice(0, firstOfPrompt).join('\n');
  return { probe, reply: first, outcome: containsAnswer(first, answer ?? '') ? 'right' : 'wrong' };
}

/** Returns at most `maxQuestions` of them, spread evenly. */
function sample(probes: readonly Probe[]): readonly Probe[] {
  const stride = Math.max(1, probes.length / maxQuestions);
  return probes.filter((_, index) => Math.floor(index / stride) !== Math.floor((index - 1) / stride));
}

function grade(style: string, probe: Probe, reply: Reply): Graded {
  return { probe, reply: reply.text, outcome: classifyReply(style, probe, reply) };
}

function classifyReply(style: string, probe: Probe, { text, answered, quotes }: Reply): Outcome {
  const { answer, outdated } = probe;
  const isTalk = style === 'talk';
  // Chit-chat may get a friendly reply, but no quote.
  if (answer === null) return answered && (quotes || !isTalk) ? 'answered off topic' : 'refused off topic';
  if (!answered) return 'abstained';
  if (isTalk) return quotes ? 'wrong' : 'right';
  if (outdated !== undefined && containsAnswer(text, outdated)) return 'wrong';
  return containsAnswer(text, answer) ? 'right' : 'wrong';
}

/** Returns the percentage among the answerable or the off-topic questions. */
function percent(graded: readonly Graded[], outcome: Outcome): number {
  const offTopic = outcome.endsWith('off topic');
  const asked = graded.filter(({ probe }) => (probe.answer === null) === offTopic);
  return (100 * asked.filter((each) => each.outcome === outcome).length) / asked.length;
}

function describeError({ style, documents, layout }: Row, { probe, reply, outcome }: Graded): object[] {
  if (outcome === 'right' || outcome === 'refused off topic') return [];
  const { before, question, answer } = probe;
  return [{ outcome, style, documents, layout, before, question, answer, reply }];
}

function formatRow({
  language,
  style,
  documents,
  layout,
  graded,
  floor,
  millisecondsPerAnswer,
}: Row): string {
  const right = percent(graded, 'right');
  const figures = [
    right,
    percent(graded, 'wrong'),
    percent(graded, 'abstained'),
    percent(graded, 'answered off topic'),
    percent(floor, 'right'),
    percent(floor, 'answered off topic'),
    right / percent(floor, 'right'),
    millisecondsPerAnswer,
  ];
  // Some ways to split a set have no answerable question.
  const written = figures.map((figure, column) =>
    !Number.isFinite(figure) ? '–' : figure.toFixed(column === 6 ? 2 : 1),
  );
  const cells = [language, style, documents, layout, ...written];
  return `| ${cells.join(' | ')} |`;
}

function report(rows: readonly Row[]): string {
  return [
    '# Answers from documents',
    '',
    'Figures are percentages of the questions on the odd-numbered paragraphs of `bench/answers/sets`. The models were',
    'fitted on the even-numbered ones. Crowd: questions by readers of the text. Paraphrased: questions that avoid the',
    'words of the text. Customers: short questions about the handbook of the demo, also with dates, typing errors and chit-chat, and about',
    'handbooks of small businesses of 1 to 3 kB, with some that they cannot answer, not used for fitting. Following: questions that refer to the one before. Versions:',
    'an old price list beside the new one, whose prices are right. Talk: greetings and the like, right if recognised, and chit-chat, off topic if',
    'it gets a quote. Prompt: the passage is among the first 3 that a language model would get. Right: the reply of',
    'at most 600 characters contains the answer verbatim. Off topic: questions that the documents do not answer, so every',
    'answer is wrong. Without odd paragraphs: questions about the paragraphs that are missing, so they are on topic. Floor: the paragraph that `ts_rank` ranks first, cut at 600 characters. It answers whenever a word of',
    'the question occurs. ms: time divided by the number of questions. Several are asked at once. `npm run bench:answers` writes this file.',
    '',
    '| language | questions | documents | layout | right | wrong | abstained | off topic answered | floor right | floor off topic answered | right / floor | ms |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|',
    ...rows.map(formatRow),
    '',
  ].join('\n');
}
