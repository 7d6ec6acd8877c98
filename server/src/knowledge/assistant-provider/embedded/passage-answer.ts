import { takeStart } from '../../../platform/shared/cut-text.ts';
import { calibration, type Features, probability } from '../../search/calibration.ts';
import type { FoundPassage } from '../../search/knowledge.queries.ts';
import type { MatchedSentence } from '../../search/passage-matching.ts';
import type { PassageMatches, RankedPassage } from '../../search/passage-ranking.ts';
import { sum, weightedShare } from '../../search/passage-search.ts';
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
/** Another sentence needs this share of the best sentence's probability. */
const minShare = 0.02;
/** A sentence of another passage needs this share, and must not have fewer words of the question. */
const minShareElsewhere = 0.15;

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
  const isLikely = matches.confidence >= calibration.leastConfidence || hasWholeQuestion(matches);
  if (section === undefined && !isLikely) return null;
  const ranking = section === undefined ? matches.ranking : [section];
  const sentences =
    section === undefined ? await scoreSentences(matches, yieldControl) : readFromBeginning(section);
  const quotes = quoteSentences(ranking, sentences, ({ candidate }) => sourceLine(candidate, phrases));
  if (quotes.length === 0) return null;
  const sources = quotes.map(({ passage: { candidate, score }, quote }): AnswerSource => {
    const { documentRef, page, heading } = candidate;
    return { kind: 'passage', documentRef, page, heading, quote, score };
  });
  return { text: writeQuotes(quotes), sources };
}

/** Returns the first passage under a heading that consists of the words of the question: "Opening hours". */
function findNamedSection({ terms, ranking }: PassageMatches): RankedPassage | undefined {
  const named = ranking.filter(({ candidate, titleMatches }) => {
    const words = splitWords(candidate.heading ?? '').length;
    return words > 0 && words <= terms.length && titleMatches.every((match) => match >= sameWord);
  });
  return named.sort((a, b) => a.candidate.ordinal - b.candidate.ordinal)[0];
}

/** Whether a sentence of the best passage has all words of the question, at least two. Other passages may have them too. */
function hasWholeQuestion({ terms, ranking: [best] }: PassageMatches): boolean {
  const subject = [...terms.entries()].filter(([, { light }]) => !light);
  const isMet = ({ matches }: MatchedSentence) => subject.every(([term]) => (matches[term] ?? 0) >= sameWord);
  return subject.length > 1 && (best?.sentences.some(isMet) ?? false);
}

const readFromBeginning = ({ sentences }: RankedPassage): QuotableSentence[] =>
  [...sentences.keys()].map((index) => ({ rank: 0, index, probability: 1 }));

/** `— price-list.pdf, page 3`; formats without pages show the heading. */
function sourceLine(passage: FoundPassage, phrases: Phrases): string {
  const { document, page, heading, date, hasOldVersion = false } = passage;
  const name = shorten(document, longestName) + (hasOldVersion ? ` (${date})` : '');
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

export interface PassageQuote {
  passage: RankedPassage;
  source: string;
  quote: string;
}

/** Quotes the best sentence and other likely ones, in reading order, as long as they fit into a reply with their sources. */
export function quoteSentences(
  ranking: readonly RankedPassage[],
  sentences: readonly QuotableSentence[],
  sourceOf: (passage: RankedPassage) => string,
): PassageQuote[] {
  const [best] = sentences;
  if (best === undefined) return [];
  const quoteAll = (chosen: readonly QuotableSentence[]): PassageQuote[] =>
    [...Map.groupBy(chosen, ({ rank }) => rank)].flatMap(([rank, ofPassage]) => {
      const passage = ranking[rank];
      if (passage === undefined) return [];
      return [{ passage, source: sourceOf(passage), quote: joinSentences(passage, ofPassage) }];
    });
  const isNeeded = ({ rank, index, probability: likely }: QuotableSentence): boolean => {
    if (rank === best.rank) return likely >= best.probability * minShare;
    const bestMet = ranking[best.rank]?.sentences[best.index]?.matches ?? [];
    const met = ranking[rank]?.sentences[index]?.matches ?? [];
    const addsNothing = met.every((match, term) => match <= (bestMet[term] ?? 0)) && sum(met) < sum(bestMet);
    return !addsNothing && likely >= best.probability * minShareElsewhere;
  };
  let chosen = [best];
  for (const sentence of sentences.slice(1)) {
    if (!isNeeded(sentence)) continue;
    if (writeQuotes(quoteAll([...chosen, sentence])).length <= longestReply) chosen = [...chosen, sentence];
  }
  return quoteAll(chosen).map((quoted) => ({
    ...quoted,
    quote: chosen.length > 1 ? quoted.quote : cutText(quoted.quote, longestReply - quoted.source.length - 1),
  }));
}

/** Names a source once if the next quote has the same. */
function writeQuotes(quotes: readonly PassageQuote[]): string {
  return quotes
    .flatMap(({ quote, source }, index) => (quotes[index + 1]?.source === source ? quote : [quote, source]))
    .join('\n');
}

function joinSentences({ candidate, sentences }: RankedPassage, quoted: readonly QuotableSentence[]): string {
  const indexes = new Set(quoted.map(({ index }) => index).sort((a, b) => a - b));
  const firsts = [...indexes].filter((index) => !indexes.has(index - 1));
  const lasts = [...indexes].filter((index) => !indexes.has(index + 1));
  return firsts
    .map((first, run) => candidate.text.slice(sentences[first]?.start, sentences[lasts[run] ?? first]?.end))
    .map(joinLines)
    .join(omission);
}

function cutText(text: string, mostCharacters: number): string {
  if (text.length <= mostCharacters) return text;
  const longest = mostCharacters - omission.length;
  const cut = text.lastIndexOf(' ', longest);
  return takeStart(text, cut > longest - longestWord ? cut : longest) + omission.trimEnd();
}
