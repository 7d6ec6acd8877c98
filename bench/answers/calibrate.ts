/**
 * Refits the models of the embedded provider and writes them to its `calibration.json`. Each model depends on the previous
 * one, and `leastConfidence` on all. Repeat the run until nothing changes.
 */
import { writeFile } from 'node:fs/promises';
import { CALIBRATION } from '../../server/src/adapters/assistant-provider/embedded/calibration.ts';
import {
  computeConfidence,
  computeConfidenceFeatures,
} from '../../server/src/adapters/assistant-provider/embedded/confidence.ts';
import { findSearchableDocuments } from '../../server/src/adapters/assistant-provider/embedded/embedded.queries.ts';
import { createLexicons } from '../../server/src/adapters/assistant-provider/embedded/lexicon.ts';
import { rankPassages } from '../../server/src/adapters/assistant-provider/embedded/passage-ranking.ts';
import { searchPassages } from '../../server/src/adapters/assistant-provider/embedded/passage-search.ts';
import { selectQuotes } from '../../server/src/adapters/assistant-provider/embedded/quotes.ts';
import { scoreSentences } from '../../server/src/adapters/assistant-provider/embedded/sentence-scores.ts';
import { createStemming } from '../../server/src/adapters/assistant-provider/embedded/stemming.ts';
import { createTimeSlicer } from '../../server/src/adapters/assistant-provider/embedded/time-slices.ts';
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
import { LIBRARY, type Library, openLibrary } from './library.ts';
import { type Example, type FittedModel, fitLogistic } from './logistic-regression.ts';

type Names<Model extends { weights: object }> = keyof Model['weights'] & string;

interface Examples {
  ranking: Example<Names<typeof CALIBRATION.ranking>>[];
  sentence: Example<Names<typeof CALIBRATION.sentence>>[];
  confidence: Example<Names<typeof CALIBRATION.confidence>>[];
  /** Confidence in the answers to unanswerable questions. */
  offTopic: number[];
}

const CALIBRATION_FILE = new URL(
  '../../server/src/adapters/assistant-provider/embedded/calibration.json',
  import.meta.url,
);
/** Lower-ranked passages are not close candidates. */
const RANKED = 12;
/** The approximate length of a source reference in characters. */
const NAMING = 20;
/** The allowed share of answered questions among the unanswerable ones. */
const FALSE_ANSWERS = 0.025;

const library = await openLibrary();
const examples: Examples = { ranking: [], sentence: [], confidence: [], offTopic: [] };
for (const language of SET_LANGUAGES) {
  for (const style of SET_STYLES) {
    for (const fold of createFolds(await readAnswerSet(language, style)))
      await collect(library, fold, examples);
  }
}
await library.close();
examples.offTopic.sort((a, b) => b - a);
const calibration: typeof CALIBRATION = {
  ranking: rounded(fitLogistic(weightNames(CALIBRATION.ranking), examples.ranking)),
  sentence: rounded(fitLogistic(weightNames(CALIBRATION.sentence), examples.sentence)),
  confidence: rounded(fitLogistic(weightNames(CALIBRATION.confidence), examples.confidence)),
  leastConfidence: round(examples.offTopic[Math.floor(examples.offTopic.length * FALSE_ANSWERS)] ?? 0),
};
await writeFile(CALIBRATION_FILE, `${JSON.stringify(calibration, null, 2)}\n`);
console.log(JSON.stringify(calibration));

async function collect({ db, store }: Library, fold: Fold, into: Examples): Promise<void> {
  const stemming = createStemming(db);
  const yieldControl = createTimeSlicer()();
  const context = { db, stemming, lexicons: createLexicons(stemming), yieldControl };
  const { documentRefs } = await store(LAYOUTS['a file per article'](fold.documents));
  const documents = await findSearchableDocuments(db, LIBRARY.installationId, LIBRARY.teamId, documentRefs);
  for (const probe of fold.probes.filter(({ even }) => even)) {
    const findings = await searchPassages(context, documents, probe.question);
    if (findings === null) continue;
    const ranking = await rankPassages(findings, yieldControl);
    const sentences = await scoreSentences(findings, ranking, yieldControl);
    const quotes = selectQuotes(ranking, sentences, 600, (passages) => passages.length * NAMING);
    const answered =
      probe.answer !== null && quotes.some(({ text }) => containsAnswer(text, probe.answer ?? ''));
    if (probe.answer === null) into.offTopic.push(computeConfidence(findings, ranking));
    if (answered || probe.answer === null) {
      into.confidence.push({ features: computeConfidenceFeatures(findings, ranking), label: answered });
    }
    collectPassages(probe, ranking, sentences, into);
  }
}

/** Uses only the paragraph of the answer. Its words may also occur in unrelated paragraphs. */
function collectPassages(
  { answer, paragraph }: Probe,
  ranking: Awaited<ReturnType<typeof rankPassages>>,
  sentences: Awaited<ReturnType<typeof scoreSentences>>,
  into: Examples,
): void {
  if (answer === null) return;
  const isRight = ranking.map(({ candidate }) => candidate.text === paragraph);
  if (isRight.includes(true)) {
    for (const [rank, { features }] of ranking.slice(0, RANKED).entries()) {
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
