import type { Language } from '../../search/languages.ts';
import { isQuestionWord } from '../../search/question-words.ts';
import type { Stemming } from '../../search/stemming.ts';
import { splitForms } from '../../search/words.ts';

/** Returns the stems of a text without common words. */
async function contentStems(
  stemming: Stemming,
  language: Language,
  text: string,
): Promise<ReadonlySet<string>> {
  const forms = splitForms(text).filter((form) => !isQuestionWord(language, form));
  const stems = await stemming.stems(language, forms);
  return new Set(forms.flatMap((form) => stems.get(form) ?? []));
}

/** Returns how many of the question's words, without common ones, a text has. */
export async function countMetWords(
  stemming: Stemming,
  language: Language,
  question: string,
  text: string,
): Promise<number> {
  const met = await contentStems(stemming, language, text);
  return [...(await contentStems(stemming, language, question))].filter((stem) => met.has(stem)).length;
}
