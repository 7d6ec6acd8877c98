import type { Language } from './languages.ts';

/** Canned replies. `{}` is a placeholder. */
export interface Phrases {
  unknown: string;
  page: string;
  askFor: string;
  greeting: string;
  introduction: string;
  thanks: string;
  farewell: string;
  done: string;
  failed: string;
}

const ENGLISH: Phrases = {
  unknown: 'I am sorry, I do not know that.',
  page: 'page {}',
  askFor: 'Please tell me: {}',
  greeting: 'Hello! How can I help you?',
  introduction: 'I am {}. How can I help you?',
  thanks: 'You are welcome!',
  farewell: 'Goodbye!',
  done: 'That is done.',
  failed: 'I am sorry, that did not work.',
};

const PHRASES: Partial<Record<Language, Phrases>> = {
  english: ENGLISH,
  spanish: {
    unknown: 'Lo siento, no lo sé.',
    page: 'página {}',
    askFor: 'Por favor, indícame: {}',
    greeting: '¡Hola! ¿En qué puedo ayudarte?',
    introduction: 'Soy {}. ¿En qué puedo ayudarte?',
    thanks: '¡De nada!',
    farewell: '¡Hasta luego!',
    done: 'Hecho.',
    failed: 'Lo siento, no ha funcionado.',
  },
  german: {
    unknown: 'Das weiß ich leider nicht.',
    page: 'Seite {}',
    askFor: 'Bitte nennen Sie mir: {}',
    greeting: 'Hallo! Wie kann ich Ihnen helfen?',
    introduction: 'Ich bin {}. Wie kann ich Ihnen helfen?',
    thanks: 'Gern geschehen!',
    farewell: 'Auf Wiedersehen!',
    done: 'Das ist erledigt.',
    failed: 'Das hat leider nicht geklappt.',
  },
  portuguese: {
    unknown: 'Desculpe, não sei responder a isso.',
    page: 'página {}',
    askFor: 'Por favor, informe: {}',
    greeting: 'Olá! Como posso ajudar?',
    introduction: 'Eu sou {}. Como posso ajudar?',
    thanks: 'De nada!',
    farewell: 'Até logo!',
    done: 'Feito.',
    failed: 'Desculpe, não funcionou.',
  },
  french: {
    unknown: 'Désolé, je ne le sais pas.',
    page: 'page {}',
    askFor: 'Merci de m’indiquer : {}',
    greeting: 'Bonjour ! Comment puis-je vous aider ?',
    introduction: 'Je suis {}. Comment puis-je vous aider ?',
    thanks: 'Je vous en prie !',
    farewell: 'Au revoir !',
    done: 'C’est fait.',
    failed: 'Désolé, cela n’a pas fonctionné.',
  },
  italian: {
    unknown: 'Mi dispiace, non lo so.',
    page: 'pagina {}',
    askFor: 'Per favore, dimmi: {}',
    greeting: 'Ciao! Come posso aiutarti?',
    introduction: 'Sono {}. Come posso aiutarti?',
    thanks: 'Prego!',
    farewell: 'Arrivederci!',
    done: 'Fatto.',
    failed: 'Mi dispiace, non ha funzionato.',
  },
  dutch: {
    unknown: 'Sorry, dat weet ik niet.',
    page: 'pagina {}',
    askFor: 'Geef alstublieft door: {}',
    greeting: 'Hallo! Waarmee kan ik u helpen?',
    introduction: 'Ik ben {}. Waarmee kan ik u helpen?',
    thanks: 'Graag gedaan!',
    farewell: 'Tot ziens!',
    done: 'Dat is gedaan.',
    failed: 'Sorry, dat is niet gelukt.',
  },
};

export function selectPhrases(languages: readonly Language[]): Phrases {
  for (const language of languages) {
    const phrases = PHRASES[language];
    if (phrases !== undefined) return phrases;
  }
  return ENGLISH;
}

export const listPhrases = (): Phrases[] => Object.values(PHRASES);

export function fillPhrase(phrase: string, value: string): string {
  return phrase.replace('{}', () => value);
}

export function textBeforeBlank(phrase: string): string {
  return phrase.slice(0, phrase.indexOf('{}'));
}
