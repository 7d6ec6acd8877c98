import { calibration, type Features, logOdds, probability } from './calibration.ts';
import { withoutOldVersions } from './document-versions.ts';
import type { SearchableDocument } from './knowledge.queries.ts';
import { bestMatches, type MatchedPassage, matchCandidates, type TermMatches } from './passage-matching.ts';
import {
  type FoundPassages,
  findPassages,
  type SearchContext,
  sum,
  weightedShare,
} from './passage-search.ts';

export interface RankedPassage extends MatchedPassage {
  /** Log-odds of containing the answer. Comparable only within one question. */
  score: number;
  features: Features<typeof calibration.ranking>;
}

export interface PassageMatches extends FoundPassages {
  ranking: readonly RankedPassage[];
  /** Probability, 0..1, that the best passages answer the question. */
  confidence: number;
}

/** Returns the passages of these documents that share a word with the question, best first. `null` if none does. */
export async function searchPassages(
  context: SearchContext,
  documents: readonly SearchableDocument[],
  question: string,
): Promise<PassageMatches | null> {
  const found = await findPassages(context, documents, question);
  if (found === null) return null;
  const ranking = await rankPassages(context, found);
  const features = computeConfidenceFeatures(found, ranking);
  const confidence = ranking.length === 0 ? 0 : probability(calibration.confidence, features);
  return { ...found, ranking, confidence };
}

/** The weight of matches in the document's name and the heading. */
const titleShare = 0.85;

async function rankPassages(context: SearchContext, found: FoundPassages): Promise<RankedPassage[]> {
  const passages = withoutOldVersions(await matchCandidates(context, found), found.documents);
  const names = found.terms.map(({ name }, term) => (name ? (found.weights[term] ?? 0) : 0));
  const ranked: RankedPassage[] = [];
  for (const passage of passages) {
    await context.yieldControl();
    const share = (matches: TermMatches): number =>
      weightedShare(
        matches.map((match, term) => Math.max(match, titleShare * (passage.titleMatches[term] ?? 0))),
        found.weights,
      );
    const adjacent = passage.sentences.map(({ matches }, index) =>
      bestMatches([matches, passage.sentences[index + 1]?.matches ?? []], matches.length),
    );
    const features = {
      own: share(passage.matches),
      sentence: Math.max(0, ...passage.sentences.map(({ matches }) => share(matches))),
      two: Math.max(0, ...adjacent.map(share)),
      names: weightedShare(passage.matches, names),
    };
    ranked.push({ ...passage, score: logOdds(calibration.ranking, features), features });
  }
  return ranked.sort((a, b) => b.score - a.score);
}

const minPassages = 100;
const sameSubject = 4;
const widestMargin = 4;

/** Computes the features that predict whether the documents answer a question, in any language and collection size. */
export function computeConfidenceFeatures(
  { terms, weights, passageCount }: FoundPassages,
  ranking: readonly RankedPassage[],
): Features<typeof calibration.confidence> {
  const [top] = ranking;
  const rival = ranking.find(
    ({ candidate: { documentRef, ordinal } }) =>
      documentRef !== top?.candidate.documentRef || Math.abs(ordinal - top.candidate.ordinal) > sameSubject,
  );
  const matches = top?.matches ?? [];
  const bestAnywhere = bestMatches(
    ranking.flatMap((passage) => [passage.matches, passage.titleMatches]),
    weights.length,
  );
  const names = terms.flatMap(({ name }, term) => (name ? [matches[term] ?? 0] : []));
  const matchedNames = sum(names);
  return {
    sentence: top?.features.sentence ?? 0,
    names: names.length === 0 ? 0 : matchedNames / names.length - 0.5,
    unmetNames: Math.min(2, names.length - matchedNames),
    /** Improbability that any of the passages matches this well by chance; scaled nats. */
    evidence:
      ((top?.features.sentence ?? 0) * sum(weights) - Math.log(Math.max(passageCount, minPassages))) / 5,
    /** Margin over the best passage with another subject. */
    margin: Math.min(widestMargin, (top?.score ?? 0) - (rival?.score ?? Number.NEGATIVE_INFINITY)),
    /** Words without any match. */
    strangers: terms.length - sum(bestAnywhere),
  };
}
