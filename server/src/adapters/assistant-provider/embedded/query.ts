import type { SearchableDocument } from './embedded.queries.ts';
import type { Language } from './languages.ts';
import type { Lexicons } from './lexicon.ts';
import { asksForNumber, isInterrogative, isQuestionWord } from './question-words.ts';
import type { Stemming } from './stemming.ts';
import { takeFirstAndLast } from './text-limits.ts';
import { foldDiacritics, splitWords } from './words.ts';

export interface QueryTerm {
  form: string;
  readings: ReadonlyMap<Language, TermReading>;
  /** Whether it is a number, or a name judging by capitals. */
  name: boolean;
  /** Whether it only asks, such as `who`. */
  asking: boolean;
  /** Whether it is a common word and not part of a name. */
  everyday: boolean;
}

interface TermReading {
  stem: string;
  /** Equivalent stems and their similarity, 0..1. */
  related: ReadonlyMap<string, number>;
}

export interface Query {
  /** The first and the last terms of a long question. */
  terms: readonly QueryTerm[];
  wantsNumber: boolean;
}

export interface Linguistics {
  stemming: Stemming;
  lexicons: Lexicons;
}

const TERMS_AT_EACH_END = 64;

export async function readQuery(
  { stemming, lexicons }: Linguistics,
  text: string,
  documents: readonly Pick<SearchableDocument, 'language'>[],
): Promise<Query> {
  const words = splitWords(text);
  const forms = words.map(({ form }) => form);
  const languages = [...new Set(documents.map(({ language }) => language))];
  const asked = await detectQueryLanguage(stemming, forms, languages);
  const askedStems = await stemming.stems(asked, forms);
  const { everyday } = await lexicons(asked);
  const read = await createReader({ stemming, lexicons }, languages, forms);
  const terms = new Map<string, QueryTerm>();
  for (const [index, word] of words.entries()) {
    const stem = askedStems.get(word.form);
    const readings = read(word.form);
    if (typeof stem !== 'string' || readings.size === 0) continue;
    if (isLoneLetter(word.form) || isInterrogative(asked, word.form)) continue;
    const name = word.numeric || (word.capitalised && index > 0 && !NOUNS_CAPITALISED.has(asked));
    terms.set(word.form, {
      form: foldDiacritics(word.form),
      readings,
      name,
      asking: isQuestionWord(asked, word.form),
      everyday: !name && everyday.has(stem),
    });
  }
  return {
    terms: takeFirstAndLast([...terms.values()], TERMS_AT_EACH_END),
    wantsNumber: forms.some((form) => asksForNumber(asked, form)),
  };
}

/** Languages that capitalise all nouns. */
const NOUNS_CAPITALISED: ReadonlySet<Language> = new Set(['german']);

const isLoneLetter = (form: string): boolean => /^\p{L}$/u.test(form);

/** Detects the language of the question. If its few words are ambiguous, prefers a language of the documents. */
async function detectQueryLanguage(
  stemming: Stemming,
  forms: readonly string[],
  languages: readonly Language[],
): Promise<Language> {
  const possible = await stemming.detectLanguages(forms);
  return possible.find((language) => languages.includes(language)) ?? possible[0] ?? languages[0] ?? 'simple';
}

async function createReader(
  { stemming, lexicons }: Linguistics,
  languages: readonly Language[],
  forms: readonly string[],
): Promise<(form: string) => Map<Language, TermReading>> {
  const known = await Promise.all(
    languages.map(async (language) => ({
      language,
      stems: await stemming.stems(language, forms),
      lexicon: await lexicons(language),
    })),
  );
  return (form) => {
    const readings = new Map<Language, TermReading>();
    for (const { language, stems, lexicon } of known) {
      const stem = stems.get(form);
      if (typeof stem === 'string') readings.set(language, { stem, related: lexicon.related(stem) });
    }
    return readings;
  };
}
