/**
 * Measures how well the embedded provider answers from documents: right, wrong or not at all, in three languages, with two
 * ways to split the documents into files, beside a floor. Writes `bench/results/answers.md` and all wrong answers.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { readOptions } from '../../scripts/command-line.ts';
import {
  containsAnswer,
  createFolds,
  type Fold,
  LAYOUTS,
  type Probe,
  readAnswerSet,
  SET_LANGUAGES,
  SET_STYLES,
} from './answer-sets.ts';
import { floorAnswer } from './floor.ts';
import { type Library, openLibrary } from './library.ts';

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

const CONFIGURATIONS = { en: 'english', es: 'spanish', de: 'german' } as const;
const RESULTS = new URL('../results/', import.meta.url);

readOptions('npm run bench:answers', {});
const library = await openLibrary();
const rows: Row[] = [];
for (const language of SET_LANGUAGES) {
  const wrong: object[] = [];
  for (const style of SET_STYLES) {
    for (const fold of createFolds(await readAnswerSet(language, style))) {
      for (const layout of typedKeys(LAYOUTS)) {
        const row = { style, ...(await measure(library, language, fold, layout)) };
        rows.push(row);
        console.log(formatRow(row));
        wrong.push(...row.graded.flatMap((graded) => describeError(row, graded)));
      }
    }
  }
  await mkdir(RESULTS, { recursive: true });
  await writeFile(new URL(`answers-wrong-${language}.json`, RESULTS), `${JSON.stringify(wrong, null, 1)}\n`);
}
await library.close();
await writeFile(new URL('answers.md', RESULTS), report(rows));

async function measure(
  library: Library,
  language: (typeof SET_LANGUAGES)[number],
  fold: Fold,
  layout: keyof typeof LAYOUTS,
): Promise<Omit<Row, 'style'>> {
  const stored = await library.store(LAYOUTS[layout](fold.documents));
  const graded: Graded[] = [];
  const floor: Graded[] = [];
  // The models were fitted on the even-numbered paragraphs.
  const probes = fold.probes.filter(({ even }) => !even);
  const start = performance.now();
  for (const probe of probes) graded.push(grade(probe, await stored.ask(probe.question)));
  const millisecondsPerAnswer = (performance.now() - start) / probes.length;
  for (const probe of probes) {
    const { documentRefs } = stored;
    floor.push(
      grade(probe, await floorAnswer(library, CONFIGURATIONS[language], documentRefs, probe.question)),
    );
  }
  return { language, documents: fold.name, layout, graded, floor, millisecondsPerAnswer };
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
  const cells = [
    language,
    style,
    documents,
    layout,
    right.toFixed(1),
    percent(graded, 'wrong').toFixed(1),
    percent(graded, 'abstained').toFixed(1),
    percent(graded, 'answered off topic').toFixed(1),
    percent(floor, 'right').toFixed(1),
    percent(floor, 'answered off topic').toFixed(1),
    (right / percent(floor, 'right')).toFixed(2),
    millisecondsPerAnswer.toFixed(1),
  ];
  return `| ${cells.join(' | ')} |`;
}

function report(rows: readonly Row[]): string {
  return [
    '# Answers from documents',
    '',
    'Figures are percentages of the questions on the odd-numbered paragraphs of `bench/answers/sets`. The models were',
    'fitted on the even-numbered ones. Crowd: questions by readers of the text. Paraphrased: questions that avoid the',
    'words of the text. Right: the reply of at most 600 characters contains the answer verbatim. Off topic: questions about',
    'articles that are not among the documents, so every answer is wrong. Floor: the paragraph that `ts_rank` ranks first,',
    'cut at 600 characters. It answers whenever a word of the question occurs. `npm run bench:answers` writes this file.',
    '',
    '| language | questions | documents | layout | right | wrong | abstained | off topic answered | floor right | floor off topic answered | right / floor | ms |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|',
    ...rows.map(formatRow),
    '',
  ].join('\n');
}

function typedKeys<Key extends string>(record: Record<Key, unknown>): Key[] {
  // The record is a literal, so it has no other keys.
  return Object.keys(record) as Key[];
}
