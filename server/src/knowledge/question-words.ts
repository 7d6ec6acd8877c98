import type { Language } from './languages.ts';

/** Function words of questions that are not stop words of PostgreSQL. */
const questionWords: Partial<Record<Language, { asking: string; framing: string }>> = {
  english: {
    asking: 'who whom whose where what which how why when many much',
    framing: 'can could would may might must shall us tell give say want like need know wonder please',
  },
  spanish: {
    asking:
      'quién quiénes quien quienes dónde donde adónde qué cuál cuáles cual cuales cómo como por cuándo cuando ' +
      'cuánto cuántos cuánta cuántas cuanto cuantos cuanta cuantas',
    framing: 'puede pueden podría debe puedo puedes quiero quisiera necesito gustaría favor saber',
  },
  german: {
    asking:
      'wer wen wem wessen wo wohin woher was welche welcher welches welchem welchen wie warum weshalb wieso wozu wodurch ' +
      'womit woraus worauf woran worin wofür wogegen wann viele viel wieviel wieviele',
    framing:
      'kann können konnte könnte könnten wird wurde wurden werden will würde hätte möchte man bitte gern gerne wissen brauche gibt',
  },
  portuguese: {
    asking: 'quem onde aonde que qual quais como porque quando quanto quantos quanta quantas',
    framing: 'pode podem posso deve quero queria gostaria preciso favor saber',
  },
};

const setOf = (...lists: readonly string[]): Set<string> => new Set(lists.join(' ').split(' '));

const wordSets = new Map(
  Object.entries(questionWords).map(([language, { asking, framing }]) => [
    language,
    { asking: setOf(asking), all: setOf(asking, framing) },
  ]),
);

export const isQuestionWord = (language: Language, form: string): boolean =>
  wordSets.get(language)?.all.has(form) ?? false;

/** Whether a word is an interrogative, which is never part of the answer's subject. */
export const isInterrogative = (language: Language, form: string): boolean =>
  wordSets.get(language)?.asking.has(form) ?? false;
