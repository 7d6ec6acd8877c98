import { takeStart } from '../../../platform/shared/cut-text.ts';
import { calibration, type Features, probability } from '../../search/calibration.ts';
import type { FoundPassage } from '../../search/knowledge.queries.ts';
import type { MatchedSentence } from '../../search/passage-matching.ts';
import type { PassageMatches, RankedPassage } from '../../search/passage-ranking.ts';
import { weightedShare } from '../../search/passage-search.ts';
import { joinLines } from '../../search/sentences.ts';
import type { YieldControl } from '../../search/time-slices.ts';
import { splitWords } from '../../search/words.ts';
import type { AnswerSource } from '../assistant-provider.ts';
import { fillPhrase, type Phrases } from './phrases.ts';

/** Characters of a reply, source included. */
const longestReply = 600;
const longestName = 60;
const quotablePassages = 6;
const maxDistance = 4;
/** The least similarity of forms of one word. */
const sameWord = 0.8;
const omission = ' … ';
/** Longer texts without a space are cut between characters. */
const longestWord = 60;
/** A second sentence needs this share of the best sentence's probability. */
const minShare = 0.05;

export interface Quoted {
  text: string;
  sources: AnswerSource[];
}

/** Answers with a quote from a passage. `null` if the passages are not likely enough to answer the question. */
export async function answerFromPassages(
  matches: PassageMatches | null,
  phrases: Phrases,
  yieldControl: YieldControl,
): Promise<Quoted | null> {
  if (matches === null) return null;
  const section = findNamedSection(matches);
  if (section === undefined && matches.confidence < calibration.leastConfidence) return null;
  const sentences =
    section === undefined ? await scoreSentences(matches, yieldControl) : readFromBeginning(section);
  const passage = section ?? matches.ranking[sentences[0]?.rank ?? 0];
  if (passage === undefined) return null;
  const { candidate, score } = passage;
  const source = `\n${sourceLine(candidate, phrases)}`;
  const quote = quoteSentences(passage, sentences, longestReply - source.length);
  const { documentRef, page, heading } = candidate;
  return { text: quote + source, sources: [{ kind: 'passage', documentRef, page, heading, quote, score }] };
}

/** Returns the first passage under a heading that consists of the words of the question: "Opening hours". */
function findNamedSection({ terms, ranking }: PassageMatches): RankedPassage | undefined {
  const named = ranking.filter(({ candidate, titleMatches }) => {
    const words = splitWords(candidate.heading ?? '').length;
    return words > 0 && words <= terms.length && titleMatches.every((match) => match >= sameWord);
  });
  return named.sort((a, b) => a.candidate.ordinal - b.candidate.ordinal)[0];
}

const readFromBeginning = ({ sentences }: RankedPassage): QuotableSentence[] =>
  [...sentences.keys()].map((index) => ({ rank: 0, index, probability: 1 }));

/** `— price-list.pdf, page 3`; formats without pages show the heading. */
function sourceLine({ document, page, heading }: FoundPassage, phrases: Phrases): string {
  const name = shorten(document, longestName);
  if (page !== null) return `— ${name}, ${fillPhrase(phrases.page, String(page))}`;
  return heading === null ? `— ${name}` : `— ${name}, ${shorten(heading, longestName)}`;
}

export function shorten(text: string, mostCharacters: number): string {
  const letters = [...text];
  return letters.length <= mostCharacters ? text : `${letters.slice(0, mostCharacters - 1).join('')}…`;
}

interface QuotableSentence {
  /** Index of the passage in the ranking, and of the sentence in the passage. */
  rank: number;
  index: number;
  /** Probability of containing the answer, 0..1. */
  probability: number;
}

interface ScoredSentence extends QuotableSentence {
  features: Features<typeof calibration.sentence>;
}

/** Returns the sentences of the best passages, best first. */
export async function scoreSentences(
  { ranking, weights }: PassageMatches,
  yieldControl: YieldControl,
): Promise<ScoredSentence[]> {
  const scored: ScoredSentence[] = [];
  for (const [rank, passage] of ranking.slice(0, quotablePassages).entries()) {
    await yieldControl();
    for (const [index, ofSentence] of sentenceFeatures(passage.sentences, weights).entries()) {
      const features = { rank: Math.log1p(rank), ...ofSentence };
      scored.push({ rank, index, features, probability: probability(calibration.sentence, features) });
    }
  }
  return scored.sort((a, b) => b.probability - a.probability);
}

function sentenceFeatures(sentences: readonly MatchedSentence[], weights: readonly number[]) {
  const shares = sentences.map(({ matches }) => weightedShare(matches, weights));
  const best = shares.indexOf(Math.max(0, ...shares));
  const bestMatches = sentences[best]?.matches ?? [];
  return sentences.map((sentence, index) => ({
    met: shares[index] ?? 0,
    /** Match beyond the best sentence of the passage. */
    rest: weightedShare(
      sentence.matches.map((match, term) => Math.max(0, match - (bestMatches[term] ?? 0))),
      weights,
    ),
    after: shares[index + 1] ?? 0,
    distance: Math.min(maxDistance, Math.abs(index - best)),
  }));
}

/** Quotes the best sentence and, if it is nearly as good, the second best one of the same passage. */
export function quoteSentences(
  passage: RankedPassage,
  sentences: readonly QuotableSentence[],
  mostCharacters: number,
): string {
  const [best, ...others] = sentences;
  if (best === undefined) return '';
  const textBetween = (first: QuotableSentence, last = first): string => {
    const { candidate, sentences: spans } = passage;
    return joinLines(candidate.text.slice(spans[first.index]?.start, spans[last.index]?.end));
  };
  const second = others.find(({ rank }) => rank === best.rank);
  if (second !== undefined && second.probability >= best.probability * minShare) {
    const [first, last] = second.index < best.index ? [second, best] : [best, second];
    const isAdjacent = last.index === first.index + 1;
    const both = isAdjacent ? textBetween(first, last) : textBetween(first) + omission + textBetween(last);
    if (both.length <= mostCharacters) return both;
  }
  const text = textBetween(best);
  if (text.length <= mostCharacters) return text;
  const longest = mostCharacters - omission.length;
  const cut = text.lastIndexOf(' ', longest);
  return takeStart(text, cut > longest - longestWord ? cut : longest) + omission.trimEnd();
}
