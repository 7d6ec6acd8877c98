import { createPhrases, normalizePhrase, readMeaning, spaceOf } from '../consents/phrases.ts';
import { type ReplyLanguage, replyLanguages } from './canned-replies.ts';
import words from './human-requests.json' with { type: 'json' };

/**
 * Words of one language that together ask for a person, separated by commas. `*` stands for any ending. After `talk` comes a `person`
 * or one of the `staff`, after `wish` one of the staff; `filler` may stand between. `last` follows a person, after `lead` if the
 * language has it. `alone` and `staff` are whole messages, too.
 */
interface Words {
  talk?: string;
  wish?: string;
  lead?: string;
  last?: string;
  filler: string;
  person: string;
  staff?: string;
  alone: string;
}

const longestRequest = 500;
/** Other words that may stand between `person` and `last`: up to three, or six characters in languages without spaces. */
const gaps = { ' ': '(?:\\S+ ){0,3}?', '': '.{0,6}?' };
const letters = '[\\p{L}\\p{M}]*';

const languages = replyLanguages.map((language) => {
  const given: Words = words[language];
  const space = spaceOf(language);
  const any = (list: string | undefined) =>
    (list ?? '')
      .split(',')
      .filter((phrase) => phrase !== '')
      .map((phrase) => normalizePhrase(phrase, space) + (phrase.trimEnd().endsWith('*') ? letters : ''))
      .join('|');
  const filler = `(?:(?:${any(given.filler)})${space}){0,4}`;
  const everyone = [any(given.person), any(given.staff)].filter((list) => list !== '').join('|');
  const sentences = [
    given.talk && `(?:${any(given.talk)})${space}${filler}(?:${everyone})`,
    given.wish && `(?:${any(given.wish)})${space}${filler}(?:${any(given.staff)})`,
    given.last &&
      `${given.lead ? `(?:${any(given.lead)})${space}` : ''}${filler}(?:${everyone})${space}${gaps[space]}(?:${any(given.last)})`,
  ].flatMap((pattern) => (pattern ? [space === '' ? pattern : `(?<= )(?:${pattern})(?= )`] : []));
  const alone = [given.alone, given.staff?.replaceAll('*', '')].filter(Boolean).join(',');
  return {
    language,
    space,
    phrases: createPhrases(language, { person: alone }, given.filler),
    sentence: new RegExp(sentences.join('|'), 'u'),
  };
});

/** Returns the language of a request for a person, `preferred` if it is one in that language, or null if it is none. */
export function detectHumanRequest(text: string, preferred: ReplyLanguage | null): ReplyLanguage | null {
  if (text.length > longestRequest) return null;
  const found = languages.filter(
    ({ space, phrases, sentence }) =>
      sentence.test(` ${normalizePhrase(text, space)} `) ||
      readMeaning(text.replaceAll('?', ''), [phrases]) !== null,
  );
  return (found.find(({ language }) => language === preferred) ?? found[0])?.language ?? null;
}
