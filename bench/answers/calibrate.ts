/**
 * Refits the models of the embedded provider on `sets/` and writes them to its `calibration.json`, or to the file that
 * the only argument names. Each model depends on the previous one, and `leastConfidence` on all, so it repeats the fit until nothing
 * changes.
 */
import { writeFile } from 'node:fs/promises';
import {
  quoteSentences,
  scoreSentences,
} from '../../server/src/knowledge/assistant-provider/embedded/passage-answer.ts';
import { calibration } from '../../server/src/knowledge/search/calibration.ts';
import { findSearchableDocuments } from '../../server/src/knowledge/search/knowledge.queries.ts';
import {
  computeConfidenceFeatures,
  type PassageMatches,
  searchPassages,
} from '../../server/src/knowledge/search/passage-ranking.ts';
import { createStemming } from '../../server/src/knowledge/search/stemming.ts';
import { createTimeSlicer } from '../../server/src/knowledge/search/time-slices.ts';
import {
  containsAnswer,
  createFolds,
  type Fold,
  type Probe,
  pageLayouts,
  readAnswerSet,
  setLanguages,
  setStyles,
} from './answer-sets.ts';
import { benchOwner, type Library, mapTogether, openLibrary } from './library.ts';
import { type Example, type FittedModel, fitLogistic } from './logistic-regression.ts';

type Names<Model extends { weights: object }> = keyof Model['weights'] & string;

interface Examples {
  ranking: Example<Names<typeof calibration.ranking>>[];
  sentence: Example<Names<typeof calibration.sentence>>[];
  confidence: Example<Names<typeof calibration.confidence>>[];
  /** Confidence in the answers to questions about other articles. */
  offTopic: number[];
}

const calibrationFile = new URL('../../server/src/knowledge/search/calibration.json', import.meta.url);
/** Lower-ranked passages are not close candidates. */
const rankedPassages = 12;
/** The allowed share of answered questions among those about other articles. */
const falseAnswers = 0.04;
const mostFits = 10;

const library = await openLibrary();
for (let fits = 1, before = ''; before !== JSON.stringify(calibration); fits += 1) {
  if (fits > mostFits) throw new Error(`the models still change after ${mostFits} fits`);
  before = JSON.stringify(calibration);
  Object.assign(calibration, await fit(library));
  console.log(JSON.stringify(calibration));
}
await library.close();
await writeFile(process.argv[2] ?? calibrationFile, `${JSON.stringify(calibration, null, 2)}\n`);

/** Leaves out the models of pairs, whose questions are not in this repository. */
async function fit(library: Library): Promise<Omit<typeof calibration, 'pair' | 'pairByMeaning'>> {
  const examples: Examples = { ranking: [], sentence: [], confidence: [], offTopic: [] };
  for (const language of setLanguages) {
    for (const style of setStyles) {
      for (const fold of createFolds(await readAnswerSet(language, style)))
        await collect(library, fold, style, examples);
    }
  }
  examples.offTopic.sort((a, b) => b - a);
  return {
    ranking: rounded(fitLogistic(weightNames(calibration.ranking), examples.ranking)),
    sentence: rounded(fitLogistic(weightNames(calibration.sentence), examples.sentence)),
    confidence: rounded(fitLogistic(weightNames(calibration.confidence), examples.confidence)),
    leastConfidence: round(examples.offTopic[Math.floor(examples.offTopic.length * falseAnswers)] ?? 0),
  };
}

async function collect(
  { db, store }: Library,
  fold: Fold,
  style: (typeof setStyles)[number],
  into: Examples,
): Promise<void> {
  const stemming = createStemming(db);
  const yieldControl = createTimeSlicer()();
  const context = { db, stemming, yieldControl };
  const { documentRefs } = await store(pageLayouts['a file per article'](fold.documents));
  const documents = await findSearchableDocuments(
    db,
    benchOwner.installationId,
    benchOwner.teamId,
    documentRefs,
  );
  const hasOtherArticles = fold.probes.some(({ answer }) => answer !== null);
  const read = await mapTogether(
    fold.probes.filter(({ even }) => even),
    async (probe) => {
      const findings = await searchPassages(context, documents, probe.question);
      return { probe, findings, sentences: findings && (await scoreSentences(findings, yieldControl)) };
    },
  );
  for (const { probe, findings, sentences } of read) {
    if (findings === null || sentences === null) continue;
    const { ranking, confidence } = findings;
    const quotes = quoteSentences(ranking, sentences, ({ candidate }) => candidate.document);
    const answered = quotes.some(({ quote }) => probe.answer !== null && containsAnswer(quote, probe.answer));
    // The other questions avoid the words of the text on purpose. People who want an answer do not.
    if (style === 'crowd' && probe.answer === null && hasOtherArticles) into.offTopic.push(confidence);
    if (style === 'crowd' && (answered || probe.answer === null)) {
      into.confidence.push({ features: computeConfidenceFeatures(findings, ranking), label: answered });
    }
    collectPassages(probe, ranking, sentences, into);
  }
}

/** Uses only the paragraph of the answer. Its words may also occur in unrelated paragraphs. */
function collectPassages(
  { answer, paragraph }: Probe,
  ranking: PassageMatches['ranking'],
  sentences: Awaited<ReturnType<typeof scoreSentences>>,
  into: Examples,
): void {
  if (answer === null) return;
  const isRight = ranking.map(({ candidate }) => candidate.text === paragraph);
  if (isRight.includes(true)) {
    for (const [rank, { features }] of ranking.slice(0, rankedPassages).entries()) {
      into.ranking.push({ features, label: isRight[rank] === true });
    }
  }
  for (const { rank, index, features } of sentences) {
    const passage = ranking[rank];
    const span = passage?.sentences[index];
    const text = passage?.candidate.text.slice(span?.start, span?.end) ?? '';
    into.sentence.push({ features, label: isRight[rank] === true && containsAnswer(text, answer) });
  }
}

function weightNames<Model extends { weights: object }>({ weights }: Model): Names<Model>[] {
  // The weights have exactly these names.
  return Object.keys(weights) as Names<Model>[];
}

function rounded<Name extends string>({ bias, weights }: FittedModel<Name>): FittedModel<Name> {
  const entries = Object.entries<number>(weights).map(([name, weight]) => [name, round(weight)]);
  // The keys stay the same.
  return { bias: round(bias), weights: Object.fromEntries(entries) as Record<Name, number> };
}

function round(number: number): number {
  return Number(number.toFixed(2));
}
