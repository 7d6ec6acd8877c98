import { foldDiacritics, splitForms } from '../../search/words.ts';
import choices from './choices.json' with { type: 'json' };
import { listPhrases } from './phrases.ts';

const wordsOf = (text: string): string[] => splitForms(text).map(foldDiacritics);
const listed = (words: string): ReadonlySet<string> => new Set(words.split(',').map(foldDiacritics));
const places = [choices.first, choices.second, choices.third].map(listed);
const beside = listed(choices.beside);
/** A longer message is a question of its own. */
const longestChoice = 6;

/** Returns the text with the questions under it, numbered, so that the contact can choose one. */
export const offerQuestions = (text: string, questions: readonly string[]): string =>
  questions.length === 0
    ? text
    : [text, ...questions.map((question, index) => `${index + 1}. ${question}`)].join('\n');

/** Returns whether a reply asks the contact to say more. The examples after "I do not know" do not. */
export function isAskingBack(reply: string): boolean {
  const isDeclined = listPhrases().some(({ unknown }) => reply.includes(unknown));
  const said = reply.replaceAll(/^[1-3]\. .*$/gm, '').trim();
  const asks = listPhrases().some(
    ({ didYouMean, askFor }) => said.endsWith(didYouMean) || said.startsWith(askFor.replace(/\{\}.*$/s, '')),
  );
  return !isDeclined && (asks || /[?？؟]$/u.test(said));
}

/**
 * Returns the question that the contact chose from those that the previous reply offered: by its number, by an ordinal, or by a few of
 * its words that no other one has. Null if there was no offer, or the message is something else.
 */
export function readChoice(message: string, previousReply: string | null): string | null {
  const offered = previousReply === null ? [] : readOffer(previousReply);
  const words = wordsOf(message.replaceAll('\u{FE0F}\u{20E3}', ''));
  if (offered.length === 0 || words.length === 0 || words.length > longestChoice) return null;
  const others = words.filter((word) => !beside.has(word));
  const named = places.map((place) => words.filter((word) => place.has(word)).length);
  const most = Math.max(...named);
  const isPlace = others.every((word) => places.some((place) => place.has(word)));
  // "The second one" names two places. The ordinal is no number.
  const chosen = most > 0 && isPlace ? findPlace(words) : null;
  return chosen === null ? chooseByWords(others, offered) : (offered[chosen] ?? null);
}

/** Returns the numbered questions of a reply that offers some. */
export function readOffer(reply: string): string[] {
  const isOffer = listPhrases().some(
    ({ topics, didYouMean }) => reply.includes(topics) || reply.includes(didYouMean),
  );
  return isOffer ? [...reply.matchAll(/^[1-3]\. (.+)$/gm)].map(([, question = '']) => question) : [];
}

function findPlace(words: readonly string[]): number | null {
  const found = places.flatMap((place, index) => (words.some((word) => place.has(word)) ? [index] : []));
  const [only, other] = found;
  if (only === undefined) return null;
  // English "one" stands beside an ordinal.
  return other === undefined ? only : only === 0 && found.length === 2 ? other : null;
}

function chooseByWords(words: readonly string[], offered: readonly string[]): string | null {
  const telling = words.filter((word) => [...word].length > 2);
  if (telling.length === 0) return null;
  const matching = offered.filter((question) => {
    const known = new Set(wordsOf(question));
    return telling.every((word) => known.has(word));
  });
  return matching.length === 1 ? (matching[0] ?? null) : null;
}
