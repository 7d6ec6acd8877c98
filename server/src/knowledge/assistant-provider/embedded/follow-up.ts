import type { Language } from '../../search/languages.ts';
import type { PairMatch } from '../../search/pairs.ts';
import type { PassageMatches } from '../../search/passage-ranking.ts';
import type { Stemming } from '../../search/stemming.ts';
import { type ContactQuestion, refersBack } from './conversation.ts';
import { countMetWords } from './met-words.ts';
import type { Quoted } from './passage-answer.ts';

/**
 * Finds the answer to a short message that refers to the previous one ("How long does it take?"). It must have words of both.
 */
export async function findFollowUp(
  { text, withPrevious }: ContactQuestion,
  { stemming, language }: { stemming: Stemming; language: Language },
  search: {
    pairs(text: string): Promise<readonly PairMatch[]>;
    passages(text: string): Promise<PassageMatches | null>;
    quote(found: PassageMatches | null): Promise<Quoted | null>;
  },
): Promise<PairMatch | Quoted | null> {
  if (withPrevious === null || !refersBack(text)) return null;
  const previous = withPrevious.slice(0, -text.length);
  const meets = (question: string, answer: string) => countMetWords(stemming, language, question, answer);
  const isMeant = async (answer: string): Promise<boolean> =>
    (await meets(text, answer)) > 0 && (await meets(previous, answer)) > 0;
  /** Keeps the passages that have most words of the subject. */
  const about = async (subject: string, found: PassageMatches | null): Promise<PassageMatches | null> => {
    if (found === null) return null;
    const met = await Promise.all(
      found.ranking.map(({ candidate: { heading, text: passage } }) =>
        meets(subject, `${heading ?? ''}\n${passage}`),
      ),
    );
    const most = Math.max(...met);
    return most > 0 ? { ...found, ranking: found.ranking.filter((_, index) => met[index] === most) } : null;
  };
  for (const pair of await search.pairs(withPrevious)) {
    if (await isMeant(`${pair.question}\n${pair.answer}`)) return pair;
  }
  const quotes = [
    await search.quote(await about(previous, await search.passages(text))),
    await search.quote(await search.passages(withPrevious)),
  ];
  for (const quoted of quotes) if (quoted !== null && (await meets(text, quoted.text)) > 0) return quoted;
  return null;
}
