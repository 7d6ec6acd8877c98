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
  readHandbook,
  setLanguages,
  setStyles,
} from './answer-sets.ts';
import { floorAnswer } from './floor.ts';
import { type Library, mapTogether, openLibrary } from './library.ts';

type Outcome = 'right' | 'wrong' | 'abstained' | 'answered off topic' | 'refused off topic';

interface Graded {
  probe: Probe;
  reply: string;
  outcome: Outcome;
}

interface Row {
  language: string;
  style: string;
  documents: string;
  layout: string;
  graded: readonly Graded[];
  floor: readonly Graded[];
  millisecondsPerAnswer: number;
}

const textSearchConfigurations = { en: 'english', es: 'spanish', de: 'german' } as const;
const resultsFolder = fileURLToPath(new URL('../results/', import.meta.url));

const usage =
  'npm run bench:answers [-- --questions N] [--languages en,es,de] [--out FOLDER] [--without-floor], with the variables of docs/models.md for a language model';
const options = readOptions(usage, {
  /** Questions per line of the report. Calls of a model cost time and money. */
  questions: { type: 'string', default: '100000' },
  languages: { type: 'string', default: setLanguages.join(',') },
  /** Where the report is written. */
  out: { type: 'string', default: resultsFolder },
  'without-floor': { type: 'boolean', default: false },
});
const maxQuestions = readCount(usage, 'questions', options.questions);
const languages = setLanguages.filter((language) => options.languages.split(',').includes(language));
if (languages.length !== options.languages.split(',').length)
  refuseUse(usage, `--languages takes ${setLanguages.join(', ')}, not ${options.languages}`);
const library = await openLibrary();
const rows: Row[] = [];
for (const language of languages) {
  const wrong: object[] = [];
  for (const style of setStyles) {
    for (const fold of createFolds(await readAnswerSet(language, style))) {
      if (fold.probes.every(({ even }) => even)) continue;
      for (const layout of ['a file per article', 'one file'] as const) {
        const row = { style, ...(await measure(library, language, fold, layout)) };
        rows.push(row);
        console.log(formatRow(row));
        wrong.push(...row.graded.flatMap((graded) => describeError(row, graded)));
      }
    }
  }
  for (const layout of language === 'en' ? (['one file', 'one file twice'] as const) : []) {
    const row = { style: 'customers', ...(await measure(library, language, await readHandbook(), layout)) };
    rows.push(row);
    console.log(formatRow(row));
    wrong.push(...row.graded.flatMap((graded) => describeError(row, graded)));
  }
  await mkdir(options.out, { recursive: true });
  await writeFile(join(options.out, `answers-wrong-${language}.json`), `${JSON.stringify(wrong, null, 1)}\n`);
}
await library.close();
await writeFile(join(options.out, 'answers.md'), report(rows));

async function measure(
  library: Library,
  language: (typeof setLanguages)[number],
  fold: Fold,
  layout: keyof typeof pageLayouts,
): Promise<Omit<Row, 'style'>> {
  const stored = await library.store(pageLayouts[layout](fold.documents));
  // The models were fitted on the even-numbered paragraphs.
  const probes = sample(fold.probes.filter(({ even }) => !even));
  const start = performance.now();
  const graded = await mapTogether(probes, async (probe) => grade(probe, await stored.ask(probe.question)));
  const millisecondsPerAnswer = (performance.now() - start) / probes.length;
  const { documentRefs } = stored;
  const answerByFloor = ({ question }: Probe) =>
    floorAnswer(library, textSearchConfigurations[language], documentRefs, question);
  const floor = options['without-floor']
    ? []
    : await mapTogether(probes, async (probe) => grade(probe, await answerByFloor(probe)));
  return { language, documents: fold.name, layout, graded, floor, millisecondsPerAnswer };
}

/** Returns at most `maxQuestions` of them, spread evenly. */
function sample(probes: readonly Probe[]): readonly Probe[] {
  const stride = Math.max(1, probes.length / maxQuestions);
  return probes.filter((_, index) => Math.floor(index / stride) !== Math.floor((index - 1) / stride));
}

function grade(probe: Probe, { text, answered }: { text: string; answered: boolean }): Graded {
  return { probe, reply: text, outcome: classifyReply(probe, text, answered) };
}

function classifyReply({ answer }: Probe, text: string, answered: boolean): Outcome {
  if (answer === null) return answered ? 'answered off topic' : 'refused off topic';
  if (!answered) return 'abstained';
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
  return [{ outcome, style, documents, layout, question: probe.question, answer: probe.answer, reply }];
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
    Number.isNaN(figure) ? '–' : figure.toFixed(column === 6 ? 2 : 1),
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
    'words of the text. Customers: short questions about the handbook of the demo, also with dates, typing errors and chit-chat, not used for fitting. Right: the reply of',
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
