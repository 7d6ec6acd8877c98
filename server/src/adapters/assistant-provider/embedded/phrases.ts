import type { Language } from '../../../knowledge/languages.ts';

/** Canned replies. `{}` is a placeholder. */
export interface Phrases {
  unknown: string;
  /** Before examples of questions that the bot can answer. */
  topics: string;
  page: string;
  askFor: string;
  greeting: string;
  introduction: string;
  thanks: string;
  farewell: string;
  done: string;
  failed: string;
  unconfirmed: string;
}

const englishPhrases: Phrases = {
  unknown: 'I am sorry, I do not know that.',
  topics: 'You can ask me, for example:',
  page: 'page {}',
  askFor: 'Please tell me: {}',
  greeting: 'Hello! How can I help you?',
  introduction: 'I am {}. How can I help you?',
  thanks: 'You are welcome!',
  farewell: 'Goodbye!',
  done: 'That is done.',
  failed: 'I am sorry, that did not work.',
  unconfirmed: 'I am sorry, I could not confirm whether that worked. Please check before you try again.',
};

const phrasesByLanguage: Partial<Record<Language, Phrases>> = {
  english: englishPhrases,
  spanish: {
    unknown: 'Lo siento, no lo sé.',
    topics: 'Puedes preguntarme, por ejemplo:',
    page: 'página {}',
    askFor: 'Por favor, indícame: {}',
    greeting: '¡Hola! ¿En qué puedo ayudarte?',
    introduction: 'Soy {}. ¿En qué puedo ayudarte?',
    thanks: '¡De nada!',
    farewell: '¡Hasta luego!',
    done: 'Hecho.',
    failed: 'Lo siento, no ha funcionado.',
    unconfirmed:
      'Lo siento, no he podido confirmar si ha funcionado. Compruébalo antes de volver a intentarlo.',
  },
  german: {
    unknown: 'Das weiß ich leider nicht.',
    topics: 'Sie können mich zum Beispiel fragen:',
    page: 'Seite {}',
    askFor: 'Bitte nennen Sie mir: {}',
    greeting: 'Hallo! Wie kann ich Ihnen helfen?',
    introduction: 'Ich bin {}. Wie kann ich Ihnen helfen?',
    thanks: 'Gern geschehen!',
    farewell: 'Auf Wiedersehen!',
    done: 'Das ist erledigt.',
    failed: 'Das hat leider nicht geklappt.',
    unconfirmed:
      'Ich konnte leider nicht feststellen, ob das geklappt hat. Bitte prüfen Sie es, bevor Sie es erneut versuchen.',
  },
  portuguese: {
    unknown: 'Desculpe, não sei responder a isso.',
    topics: 'Você pode me perguntar, por exemplo:',
    page: 'página {}',
    askFor: 'Por favor, informe: {}',
    greeting: 'Olá! Como posso ajudar?',
    introduction: 'Eu sou {}. Como posso ajudar?',
    thanks: 'De nada!',
    farewell: 'Até logo!',
    done: 'Feito.',
    failed: 'Desculpe, não funcionou.',
    unconfirmed: 'Desculpe, não consegui confirmar se funcionou. Verifique antes de tentar novamente.',
  },
};

/** Returns those of the first language that has any. */
export const selectPhrases = (languages: readonly Language[]): Phrases =>
  languages.flatMap((language) => phrasesByLanguage[language] ?? [])[0] ?? englishPhrases;

export const listPhrases = (): Phrases[] => Object.values(phrasesByLanguage);

export const fillPhrase = (phrase: string, value: string): string => phrase.replace('{}', () => value);
