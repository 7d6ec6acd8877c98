import type { SearchableDocument } from './embedded.queries.ts';
import { type AnswerKind, askedBy } from './question-words.ts';
import type { Language, Stemming } from './stemming.ts';
import { folded, type Word, wordsOf } from './words.ts';

/** A word of a question that passages are searched for. */
export interface QueryTerm {
  /** Folded, as typed. */
  form: string;
  /** Its stem in each language of the documents. */
  stems: ReadonlyMap<Language, string>;
  /** A number, or a name as far as capitals tell. */
  specific: boolean;
  /** A word of asking. */
  asking: boolean;
}

export interface Query {
  terms: readonly QueryTerm[];
  wanted: AnswerKind;
}

/** What a question asks for, in the languages of the documents it is put to. */
export async function readQuery(
  stemming: Stemming,
  text: string,
  documents: readonly Pick<SearchableDocument, 'language'>[],
): Promise<Query> {
  const words = wordsOf(text);
  const forms = words.map(({ form }) => form);
  const languages = new Set(documents.map(({ language }) => language));
  const asked = await askedLanguage(stemming, forms, languages);
  const stemsByLanguage = new Map<Language, Map<string, string | null>>();
  for (const language of new Set([...languages, asked])) {
    stemsByLanguage.set(language, await stemming.stems(language, forms));
  }
  const terms = new Map<string, QueryTerm>();
  for (const [index, word] of words.entries()) {
    if (stemsByLanguage.get(asked)?.get(word.form) === null) continue;
    const stems = new Map<Language, string>();
    for (const language of languages) {
      const stem = stemsByLanguage.get(language)?.get(word.form);
      if (typeof stem === 'string') stems.set(language, stem);
    }
    if (stems.size === 0 || (word.form.length === 1 && !word.numeric)) continue;
    terms.set(word.form, {
      form: folded(word.form),
      stems,
      specific: word.numeric || (word.capitalised && index > 0),
      asking: askedBy(asked, word.form) !== null,
    });
  }
  return { terms: [...terms.values()], wanted: kindWanted(asked, words) };
}

/** The question's language; where its few words leave it open, one the documents are in. */
async function askedLanguage(
  stemming: Stemming,
  forms: readonly string[],
  languages: ReadonlySet<Language>,
): Promise<Language> {
  const possible = await stemming.languagesOf(forms);
  return possible.find((language) => languages.has(language)) ?? possible[0] ?? [...languages][0] ?? 'simple';
}

function kindWanted(language: Language, words: readonly Word[]): AnswerKind {
  const kinds = words.map(({ form }) => askedBy(language, form));
  return kinds.includes('number') ? 'number' : kinds.includes('name') ? 'name' : 'other';
}
