import type { Language } from './languages.ts';

/** Words of asking beside the stop words: they say what is wanted and not what it is about. */
interface QuestionWords {
  /** Those that want a number or a time. */
  number: string;
  other: string;
}

const QUESTION_WORDS: Partial<Record<Language, QuestionWords>> = {
  english: {
    number: 'when many much year years date century long old percent percentage number often far tall high',
    other:
      'who whom whose where what which how why name named kind type sort called call known term happen happened also ' +
      'can could would may might must shall one two us tell give say said does use used become became main according ' +
      'please want like need know wonder',
  },
  spanish: {
    number:
      'cuándo cuando cuánto cuántos cuánta cuántas cuanto cuantos cuanta cuantas año años fecha siglo porcentaje número',
    other:
      'quién quiénes quien quienes dónde donde adónde nombre llama llamaba llamó qué cuál cuáles cual cuales cómo como ' +
      'por tipo clase llamado llamada conoce conocido término según puede pueden podría debe dice ser hace hacer hizo ' +
      'quiero quisiera puedo puedes necesito gustaría favor saber',
  },
  german: {
    number:
      'wann viele viel wieviel wieviele jahr jahre jahren jahrhundert datum prozent zahl anzahl lange alt hoch',
    other:
      'wer wen wem wessen wo wohin woher name namen heißt hieß heißen hießen was welche welcher welches welchem welchen ' +
      'wie warum weshalb wieso wozu wodurch womit woraus worauf woran worin wofür wogegen art nennt nannte genannt ' +
      'bezeichnet gibt gab kann können konnte wurde wurden werden laut man ' +
      'möchte könnte könnten bitte will würde gern gerne wissen brauche hätte',
  },
  portuguese: {
    number: 'quando quanto quantos quanta quantas ano anos data século porcentagem percentagem número',
    other:
      'quem onde aonde nome chama chamava que qual quais como porque tipo chamado chamada conhecido pode podem segundo deve ' +
      'quero queria gostaria preciso posso favor saber',
  },
  french: {
    number: 'quand combien année années an ans date siècle pourcentage nombre',
    other:
      'qui où nom appelle appelait nommé que quoi quel quelle quels quelles comment pourquoi type sorte appelé appelée ' +
      'peut peuvent selon doit voudrais veux puis plaît savoir',
  },
  italian: {
    number: 'quando quanto quanti quanta quante anno anni data secolo percentuale numero',
    other:
      'chi dove nome chiama chiamava che cosa quale quali come perché tipo chiamato chiamata può possono secondo deve vorrei voglio posso favore sapere',
  },
  dutch: {
    number: 'wanneer hoeveel jaar jaren datum eeuw procent aantal lang oud hoog',
    other:
      'wie waar naam heet heette wat welke welk hoe waarom soort noemt genoemd kan kunnen volgens moet wil graag alstublieft weten',
  },
};

const WORDS = new Map(
  Object.entries(QUESTION_WORDS).map(([language, { number, other }]) => [
    language,
    { number: new Set(number.split(' ')), all: new Set(`${number} ${other}`.split(' ')) },
  ]),
);

/** Whether a word only asks, in that language. */
export function isAsking(language: Language, form: string): boolean {
  return WORDS.get(language)?.all.has(form) ?? false;
}

/** Whether a word asks for a number or a time. */
export function asksForNumber(language: Language, form: string): boolean {
  return WORDS.get(language)?.number.has(form) ?? false;
}
