/**
 * How well the embedded provider answers from documents: right, wrong or not at all, in three languages, with the
 * documents cut into files in two ways, against the bare floor of the same run. Writes `bench/results/answers.md` and
 * every wrong answer.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { readOptions } from '../../scripts/command-line.ts';
import {
  type Fold,
  foldsOf,
  holds,
  LAYOUTS,
  type Probe,
  readAnswerSet,
  SET_LANGUAGES,
  SET_STYLES,
} from './answer-sets.ts';
import { floorAnswer } from './floor.ts';
import { type Library, openLibrary } from './library.ts';

type Outcome = 'right' | 'wrong' | 'abstained' | 'answered off topic' | 'refused off topic';

interface Judged {
  probe: Probe;
  reply: string;
  outcome: Outcome;
}

interface Row {
  language: string;
  style: string;
  documents: string;
  layout: string;
  judged: readonly Judged[];
  floor: readonly Judged[];
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
    for (const fold of foldsOf(await readAnswerSet(language, style))) {
      for (const layout of typedKeys(LAYOUTS)) {
        const row = { style, ...(await measure(library, language, fold, layout)) };
        rows.push(row);
        console.log(lineOf(row));
        wrong.push(...row.judged.flatMap((judged) => faultOf(row, judged)));
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
  const holding = await library.hold(LAYOUTS[layout](fold.documents));
  const judged: Judged[] = [];
  const floor: Judged[] = [];
  // On the even ones the models were fitted.
  const probes = fold.probes.filter(({ even }) => !even);
  const start = performance.now();
  for (const probe of probes) judged.push(judge(probe, await holding.ask(probe.question)));
  const millisecondsPerAnswer = (performance.now() - start) / probes.length;
  for (const probe of probes) {
    const { documentRefs } = holding;
    floor.push(
      judge(probe, await floorAnswer(library, CONFIGURATIONS[language], documentRefs, probe.question)),
    );
  }
  return { language, documents: fold.name, layout, judged, floor, millisecondsPerAnswer };
}

function judge(probe: Probe, { text, answered }: { text: string; answered: boolean }): Judged {
  return { probe, reply: text, outcome: outcomeOf(probe, text, answered) };
}

function outcomeOf({ answer }: Probe, text: string, answered: boolean): Outcome {
  if (answer === null) return answered ? 'answered off topic' : 'refused off topic';
  if (!answered) return 'abstained';
  return holds(text, answer) ? 'right' : 'wrong';
}

/** Percent of the answerable questions, or of the off-topic ones. */
function percent(judged: readonly Judged[], outcome: Outcome): number {
  const offTopic = outcome.endsWith('off topic');
  const asked = judged.filter(({ probe }) => (probe.answer === null) === offTopic);
  return (100 * asked.filter((each) => each.outcome === outcome).length) / asked.length;
}

function faultOf({ style, documents, layout }: Row, { probe, reply, outcome }: Judged): object[] {
  if (outcome === 'right' || outcome === 'refused off topic') return [];
  return [{ outcome, style, documents, layout, question: probe.question, answer: probe.answer, reply }];
}

function lineOf({ language, style, documents, layout, judged, floor, millisecondsPerAnswer }: Row): string {
  const right = percent(judged, 'right');
  const cells = [
    language,
    style,
    documents,
    layout,
    right.toFixed(1),
    percent(judged, 'wrong').toFixed(1),
    percent(judged, 'abstained').toFixed(1),
    percent(judged, 'answered off topic').toFixed(1),
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
    'Percent of the questions on the odd-numbered paragraphs of `bench/answers/sets` (those on the even-numbered ones',
    'fitted the models). Crowd: what readers ask who have the text before them; paraphrased: in words as far from the',
    'text as they get. Right: the reply of at most 600 characters holds the answer word for word. Off topic: questions',
    'about articles that are not among the documents; every answer to one is false. Floor: the paragraph that `ts_rank`',
    'puts first, cut at 600 characters; it answers whenever a word occurs. `npm run bench:answers` writes this file.',
    '',
    '| language | questions | documents | layout | right | wrong | abstained | off topic answered | floor right | floor off topic answered | right / floor | ms |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|',
    ...rows.map(lineOf),
    '',
  ].join('\n');
}

function typedKeys<Key extends string>(record: Record<Key, unknown>): Key[] {
  // The record is a literal: it has these keys only.
  return Object.keys(record) as Key[];
}
