import type { AnswerSource } from '../assistant-provider.ts';
import { CALIBRATION } from './calibration.ts';
import { computeConfidence } from './confidence.ts';
import type { Db, SearchableDocument } from './embedded.queries.ts';
import { type RankedPassage, rankPassages } from './passage-ranking.ts';
import { searchPassages } from './passage-search.ts';
import { fillPhrase, type Phrases } from './phrases.ts';
import type { Linguistics } from './query.ts';
import { type Quote, selectQuotes } from './quotes.ts';
import { scoreSentences } from './sentence-scores.ts';
import type { YieldControl } from './time-slices.ts';

export interface PassageAnswer {
  text: string;
  sources: AnswerSource[];
  /** Probability, 0..1, that the text answers the question. */
  confidence: number;
}

/** Characters of a reply, sources included. */
const LONGEST_REPLY = 600;
const LONGEST_NAME = 60;

/** Answers a question with quotes from the documents. `null` if no quote is likely enough to answer it. */
export async function answerFromPassages(
  context: Linguistics & { db: Db; phrases: Phrases; yieldControl: YieldControl },
  documents: readonly SearchableDocument[],
  question: string,
): Promise<PassageAnswer | null> {
  const searchResult = await searchPassages(context, documents, question);
  if (searchResult === null) return null;
  const ranking = await rankPassages(searchResult, context.yieldControl);
  const confidence = computeConfidence(searchResult, ranking);
  if (confidence < CALIBRATION.leastConfidence) return null;
  const naming = (passage: RankedPassage): string =>
    sourceLine(passage, searchResult.documents, context.phrases);
  const sentences = await scoreSentences(searchResult, ranking, context.yieldControl);
  await context.yieldControl();
  const quotes = selectQuotes(ranking, sentences, LONGEST_REPLY, (passages) =>
    sourceLength(passages.map(naming)),
  );
  return {
    text: joinQuotes(quotes.map(({ passage, text }) => ({ text, source: naming(passage) }))),
    sources: quotes.map((quote) => toSource(quote)),
    confidence,
  };
}

/** `— price-list.pdf, page 3`; formats without pages show the heading. */
function sourceLine(
  { candidate }: RankedPassage,
  documents: ReadonlyMap<string, SearchableDocument>,
  phrases: Phrases,
): string {
  const name = truncateName(documents.get(candidate.documentRef)?.name ?? '');
  if (candidate.page !== null) return `— ${name}, ${fillPhrase(phrases.page, String(candidate.page))}`;
  return candidate.heading === null ? `— ${name}` : `— ${name}, ${truncateName(candidate.heading)}`;
}

function truncateName(name: string): string {
  const letters = [...name];
  return letters.length <= LONGEST_NAME ? name : `${letters.slice(0, LONGEST_NAME - 1).join('')}…`;
}

function joinQuotes(quotes: readonly { text: string; source: string }[]): string {
  const blocks: string[] = [];
  for (const [index, { text, source }] of quotes.entries()) {
    blocks.push(text);
    if (quotes[index + 1]?.source !== source) blocks.push(source);
  }
  return blocks.join('\n');
}

function sourceLength(sources: readonly string[]): number {
  return joinQuotes(sources.map((source) => ({ text: '', source }))).length;
}

function toSource({ passage, text }: Quote): AnswerSource {
  const { documentRef, page, heading } = passage.candidate;
  return { kind: 'passage', documentRef, page, heading, quote: text, score: passage.score };
}
