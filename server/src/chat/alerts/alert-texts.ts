import { mailLanguages } from '../../tenancy/people/mail-texts.ts';

/** Counts of what waits. */
export interface Waiting {
  conversations: number;
  devices: number;
}

type Language = (typeof mailLanguages)[number];

const phrases: Record<Language, { people: [string, string]; phones: [string, string] }> = {
  en: {
    people: ['One person waits for an answer', '# people wait for an answer'],
    phones: ['One phone has no connection', '# phones have no connection'],
  },
  es: {
    people: ['Una persona espera respuesta', '# personas esperan respuesta'],
    phones: ['Un teléfono no tiene conexión', '# teléfonos no tienen conexión'],
  },
  pt: {
    people: ['Uma pessoa espera uma resposta', '# pessoas esperam uma resposta'],
    phones: ['Um telefone está sem conexão', '# telefones estão sem conexão'],
  },
  de: {
    people: ['Eine Person wartet auf Antwort', '# Personen warten auf Antwort'],
    phones: ['Ein Telefon ist nicht verbunden', '# Telefone sind nicht verbunden'],
  },
};

/** Says what waits in one sentence, in the first of the four languages that the tag names, or in English. */
export function describeWaiting({ conversations, devices }: Waiting, tag: string): string {
  const language = mailLanguages.find((known) => known === tag.toLowerCase().split('-')[0]) ?? 'en';
  const { people, phones } = phrases[language];
  const say = (count: number, [one, many]: [string, string]) =>
    count === 0 ? [] : [count === 1 ? one : many.replace('#', String(count))];
  return [...say(conversations, people), ...say(devices, phones)].join('. ');
}
