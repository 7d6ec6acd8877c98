import type { SearchableDocument } from './embedded.queries.ts';
import type { Language } from './languages.ts';
import type { Lexicons } from './lexicon.ts';
import { asksForNumber, isInterrogative, isQuestionWord } from './question-words.ts';
import type { Stemming } from './stemming.ts';
import { takeFirstAndLast } from './text-limits.ts';
import { foldDiacritics, splitWords } from './words.ts';

/** A word of a question that passages are searched for. */
export interface QueryTerm {
  /** Folded, as typed. */
  form: string;
  /** What it is in each language of the documents. */
  readings: ReadonlyMap<Language, TermReading>;
  /** A number, or a name as far as capitals tell. */
  name: boolean;
  /** A word of asking. */
  asking: boolean;
  /** A word of every day, unless it is part of a name. */
  everyday: boolean;
}

interface TermReading {
  stem: string;
  /** Other stems that can stand for it, and how well, 0..1. */
  related: ReadonlyMap<string, number>;
}

export interface Query {
  /** Of a long question the first and the last. */
  terms: readonly QueryTerm[];
  /** Whether a number or a time is asked for. */
  wantsNumber: boolean;
}

export interface Linguistics {
  stemming: Stemming;
  lexicons: Lexicons;
}

/** Terms of a question that are looked for, of the first and of the last each. */
const TERMS_AT_EACH_END = 64;

/** What a question asks for, in the languages of the documents it is put to. */
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

/** Where capitals tell nothing of names. */
const NOUNS_CAPITALISED: ReadonlySet<Language> = new Set(['german']);

const isLoneLetter = (form: string): boolean => /^\p{L}$/u.test(form);

/** The question's language; where its few words leave it open, one the documents are in. */
async function detectQueryLanguage(
  stemming: Stemming,
  forms: readonly string[],
  languages: readonly Language[],
): Promise<Language> {
  const possible = await stemming.detectLanguages(forms);
  return possible.find((language) => languages.includes(language)) ?? possible[0] ?? languages[0] ?? 'simple';
}

/** Reads word forms in all the languages; a stop word has no reading. */
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
