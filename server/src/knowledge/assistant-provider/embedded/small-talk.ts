import { foldDiacritics, splitWords } from '../../search/words.ts';
import talksByLanguage from './small-talk.json' with { type: 'json' };

/** In this order: thanks before a farewell are a farewell. */
const talksByPriority = ['help', 'introduction', 'farewell', 'thanks', 'greeting'] as const;
export type Talk = (typeof talksByPriority)[number];
const longestExpression = 8;
const longestReason = 5;

const reasons: ReadonlySet<string> = new Set('for por fur pour per pela pelo voor za'.split(' '));
/** Contracted words of English. */
const contracted: Readonly<Record<string, string>> = { s: 'is', m: 'am', re: 'are', u: 'you', r: 'are' };

/** "Hiii" is "hi". */
const toWords = (text: string): string[] =>
  splitWords(text.replaceAll(/(\p{L})\1{2,}/gu, '$1'))
    .map(({ form }) => foldDiacritics(form))
    .map((word) => contracted[word] ?? word);

/** Expressions by the codes of languages, separated by commas in the file. `filler` may stand beside the others. `asking` with `being` asks who the bot is. */
const expressions = Object.entries(talksByLanguage).map(([code, talks]) => ({
  code,
  talkOf: new Map(
    Object.entries(talks).flatMap(([talk, words]) =>
      words.split(',').map((each) => [toWords(each).join(' '), talk] as const),
    ),
  ),
}));

const isEmoji = /^(?=.*\p{Extended_Pictographic})[\p{Emoji}\p{Emoji_Component}\p{P}\s]+$/u;
const thankful = /[👍👌🙏❤💙💚🧡💛💜🤝🎉💪😊🙂🥰😍]/u;

/** Recognises a message that is nothing but small talk. `code` names its language, null if it has no words. */
export function findSmallTalk(text: string): { code: string | null; talk: Talk } | null {
  const words = toWords(text);
  if (isEmoji.test(text)) return { code: null, talk: thankful.test(text) ? 'thanks' : 'greeting' };
  for (const { code, talkOf } of expressions) {
    const found = new Set<string>();
    let at = 0;
    // Nothing but a reason follows: "thanks for the quick answer".
    const isReason = () =>
      found.has('thanks') &&
      reasons.has(words[at] ?? '') &&
      words.length - at <= longestReason &&
      !/[?？؟,;]/.test(text);
    while (at < words.length && !isReason()) {
      let length = longestExpression;
      while (length > 0 && !talkOf.has(words.slice(at, at + length).join(' '))) length -= 1;
      if (length === 0) break;
      found.add(talkOf.get(words.slice(at, at + length).join(' ')) ?? '');
      at += length;
    }
    if (found.has('asking') && found.has('being')) found.add('introduction');
    const talk = talksByPriority.find((each) => found.has(each));
    if ((at >= words.length || isReason()) && talk !== undefined) return { code, talk };
  }
  return null;
}
