import type { Language } from './languages.ts';
import { isLightWord, isQuestionWord } from './question-words.ts';
import type { Stemming } from './stemming.ts';
import { foldDiacritics, splitWords } from './words.ts';

export interface QueryTerm {
  form: string;
  stems: ReadonlyMap<Language, string>;
  /** Whether it is a number, or a name judging by capitals. */
  name: boolean;
  light: boolean;
}

/** Returns the words of a question that may occur in texts of these languages. */
export async function readQuery(
  stemming: Stemming,
  text: string,
  languages: readonly Language[],
): Promise<readonly QueryTerm[]> {
  const words = splitWords(text);
  const forms = words.map(({ form }) => form);
  const possible = await stemming.detectLanguages(forms);
  // If a few words are ambiguous, a language of the texts is likelier.
  const asked = possible.find((each) => languages.includes(each)) ?? possible[0] ?? languages[0] ?? 'simple';
  const askedStems = await stemming.stems(asked, forms);
  const known = await Promise.all(
    languages.map(async (language) => [language, await stemming.stems(language, forms)] as const),
  );
  const terms = new Map<string, QueryTerm>();
  for (const [index, { form, numeric, capitalised }] of words.entries()) {
    const stems = new Map(
      known.flatMap(([language, read]) => {
        const stem = read.get(form);
        return typeof stem === 'string' ? [[language, stem] as const] : [];
      }),
    );
    if (stems.size === 0 || askedStems.get(form) === null) continue;
    if (/^[\p{L}--\p{scx=Han}]$/v.test(form) || isQuestionWord(asked, form)) continue;
    // German capitalises all nouns.
    const name = numeric || (capitalised && index > 0 && asked !== 'german');
    terms.set(form, { form: foldDiacritics(form), stems, name, light: isLightWord(asked, form) });
  }
  return [...terms.values()];
}
