import type { Language } from './stemming.ts';

/** What kind of thing a question asks for, as far as its words tell. */
export type AnswerKind = 'number' | 'name' | 'other';

/**
 * Words of asking beside the stop words: they say what is wanted and not what it is about, so they hardly count in a
 * search. `number` and `name` tell the kind of answer.
 */
const QUESTION_WORDS: Partial<Record<Language, { number: string; name: string; other: string }>> = {
  english: {
    number: 'when many much year years date century long old percent percentage number often far tall high',
    name: 'who whom whose where name named',
    other:
      'what which how why kind type sort called call known term happen happened also can could would may might ' +
      'must shall one two us tell give say said does use used become became main according',
  },
  spanish: {
    number:
      'cuándo cuando cuánto cuántos cuánta cuántas cuanto cuantos cuanta cuantas año años fecha siglo porcentaje número',
    name: 'quién quiénes quien quienes dónde donde adónde nombre llama llamaba llamó',
    other:
      'qué cuál cuáles cual cuales cómo como por tipo clase llamado llamada conoce conocido término según puede ' +
      'pueden podría debe dice ser hace hacer hizo',
  },
  german: {
    number:
      'wann viele viel wieviel wieviele jahr jahre jahren jahrhundert datum prozent zahl anzahl lange alt hoch',
    name: 'wer wen wem wessen wo wohin woher name namen heißt hieß heißen hießen',
    other:
      'was welche welcher welches welchem welchen wie warum weshalb wieso wozu wodurch womit woraus worauf woran ' +
      'worin wofür wogegen art nennt nannte genannt bezeichnet gibt gab kann können konnte wurde wurden werden laut man',
  },
  portuguese: {
    number: 'quando quanto quantos quanta quantas ano anos data século porcentagem percentagem número',
    name: 'quem onde aonde nome chama chamava',
    other: 'que qual quais como porque tipo chamado chamada conhecido pode podem segundo deve',
  },
  french: {
    number: 'quand combien année années an ans date siècle pourcentage nombre',
    name: 'qui où nom appelle appelait nommé',
    other:
      'que quoi quel quelle quels quelles comment pourquoi type sorte appelé appelée peut peuvent selon doit',
  },
  italian: {
    number: 'quando quanto quanti quanta quante anno anni data secolo percentuale numero',
    name: 'chi dove nome chiama chiamava',
    other: 'che cosa quale quali come perché tipo chiamato chiamata può possono secondo deve',
  },
  dutch: {
    number: 'wanneer hoeveel jaar jaren datum eeuw procent aantal lang oud hoog',
    name: 'wie waar naam heet heette',
    other: 'wat welke welk hoe waarom soort noemt genoemd kan kunnen volgens moet',
  },
};

const KINDS = new Map(
  Object.entries(QUESTION_WORDS).map(([language, kinds]) => [
    language,
    new Map(
      (['other', 'name', 'number'] as const).flatMap((kind) =>
        kinds[kind].split(' ').map((word) => [word, kind]),
      ),
    ),
  ]),
);

/** The kind of answer a word asks for; `null` when it is no word of asking in that language. */
export function askedBy(language: Language, form: string): AnswerKind | null {
  return KINDS.get(language)?.get(form) ?? null;
}
