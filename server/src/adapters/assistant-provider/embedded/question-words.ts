import type { Language } from './languages.ts';

/** Words of a question that say nothing about its subject. */
interface QuestionWords {
  interrogative: string;
  numeric: string;
  /** Nouns for a requested number or time. */
  measure: string;
  /** Words for naming something or for wanting to know. */
  framing: string;
}

const QUESTION_WORDS: Partial<Record<Language, QuestionWords>> = {
  english: {
    interrogative: 'who whom whose where what which how why',
    numeric: 'when many much',
    measure: 'year years date century long old percent percentage number often far tall high',
    framing:
      'name named kind type sort called call known term happen happened also can could would may might must shall one ' +
      'two us tell give say said does use used become became main according please want like need know wonder',
  },
  spanish: {
    interrogative: 'quién quiénes quien quienes dónde donde adónde qué cuál cuáles cual cuales cómo como por',
    numeric: 'cuándo cuando cuánto cuántos cuánta cuántas cuanto cuantos cuanta cuantas',
    measure: 'año años fecha siglo porcentaje número',
    framing:
      'nombre llama llamaba llamó tipo clase llamado llamada conoce conocido término según puede pueden podría debe dice ' +
      'ser hace hacer hizo quiero quisiera puedo puedes necesito gustaría favor saber',
  },
  german: {
    interrogative:
      'wer wen wem wessen wo wohin woher was welche welcher welches welchem welchen wie warum weshalb wieso wozu wodurch ' +
      'womit woraus worauf woran worin wofür wogegen',
    numeric: 'wann viele viel wieviel wieviele',
    measure: 'jahr jahre jahren jahrhundert datum prozent zahl anzahl lange alt hoch',
    framing:
      'name namen heißt hieß heißen hießen art nennt nannte genannt bezeichnet gibt gab kann können konnte wurde wurden ' +
      'werden laut man möchte könnte könnten bitte will würde gern gerne wissen brauche hätte',
  },
  portuguese: {
    interrogative: 'quem onde aonde que qual quais como porque',
    numeric: 'quando quanto quantos quanta quantas',
    measure: 'ano anos data século porcentagem percentagem número',
    framing:
      'nome chama chamava tipo chamado chamada conhecido pode podem segundo deve quero queria gostaria preciso posso favor saber',
  },
  french: {
    interrogative: 'qui où que quoi quel quelle quels quelles comment pourquoi',
    numeric: 'quand combien',
    measure: 'année années an ans date siècle pourcentage nombre',
    framing:
      'nom appelle appelait nommé type sorte appelé appelée peut peuvent selon doit voudrais veux puis plaît savoir',
  },
  italian: {
    interrogative: 'chi dove che cosa quale quali come perché',
    numeric: 'quando quanto quanti quanta quante',
    measure: 'anno anni data secolo percentuale numero',
    framing:
      'nome chiama chiamava tipo chiamato chiamata può possono secondo deve vorrei voglio posso favore sapere',
  },
  dutch: {
    interrogative: 'wie waar wat welke welk hoe waarom',
    numeric: 'wanneer hoeveel',
    measure: 'jaar jaren datum eeuw procent aantal lang oud hoog',
    framing: 'naam heet heette soort noemt genoemd kan kunnen volgens moet wil graag alstublieft weten',
  },
};

const setOf = (...lists: readonly string[]): Set<string> => new Set(lists.join(' ').split(' '));

const WORDS = new Map(
  Object.entries(QUESTION_WORDS).map(([language, { interrogative, numeric, measure, framing }]) => [
    language,
    {
      interrogative: setOf(interrogative, numeric),
      numeric: setOf(numeric, measure),
      all: setOf(interrogative, numeric, measure, framing),
    },
  ]),
);

export function isQuestionWord(language: Language, form: string): boolean {
  return WORDS.get(language)?.all.has(form) ?? false;
}

/** Whether a word is an interrogative, which is never part of the answer's subject. */
export function isInterrogative(language: Language, form: string): boolean {
  return WORDS.get(language)?.interrogative.has(form) ?? false;
}

export function asksForNumber(language: Language, form: string): boolean {
  return WORDS.get(language)?.numeric.has(form) ?? false;
}
