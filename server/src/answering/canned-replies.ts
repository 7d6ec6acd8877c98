export interface CannedReplies {
  humanRequested: string;
  /** Reply to kinds of content that the bot does not read. */
  textOnly: string;
  /** Reply to content of a kind that the bot reads, such as a voice note that is too long. */
  notUnderstood: string;
  receiptKept: string;
  noAnswer: string;
}

export type ReplyLanguage = 'en' | 'es' | 'pt' | 'de' | 'fr' | 'it' | 'nl';

const cannedReplies: Record<ReplyLanguage, CannedReplies> = {
  en: {
    humanRequested: 'Of course. A person from our team will write to you here soon.',
    textOnly: 'I can only read text. Could you write to me what it is about?',
    notUnderstood: 'I am sorry, I could not understand your message. Could you write to me what it is about?',
    receiptKept: 'Thank you, I have kept your payment receipt.',
    noAnswer: 'I am sorry, I could not find an answer to that.',
  },
  es: {
    humanRequested: 'Por supuesto. Una persona de nuestro equipo te escribirá aquí en breve.',
    textOnly: 'Solo puedo leer texto. ¿Podrías escribirme de qué se trata?',
    notUnderstood: 'Lo siento, no he podido entender tu mensaje. ¿Podrías escribirme de qué se trata?',
    receiptKept: 'Gracias, he guardado tu comprobante de pago.',
    noAnswer: 'Lo siento, no he encontrado una respuesta a eso.',
  },
  pt: {
    humanRequested: 'Claro. Uma pessoa da nossa equipe escreverá para você aqui em breve.',
    textOnly: 'Só consigo ler texto. Você poderia me escrever do que se trata?',
    notUnderstood: 'Desculpe, não consegui entender sua mensagem. Você poderia me escrever do que se trata?',
    receiptKept: 'Obrigado, guardei o seu comprovante de pagamento.',
    noAnswer: 'Desculpe, não encontrei uma resposta para isso.',
  },
  de: {
    humanRequested: 'Gern. Jemand aus unserem Team schreibt Ihnen hier in Kürze.',
    textOnly: 'Ich kann nur Text lesen. Könnten Sie mir schreiben, worum es geht?',
    notUnderstood:
      'Es tut mir leid, ich konnte Ihre Nachricht nicht verstehen. Könnten Sie mir schreiben, worum es geht?',
    receiptKept: 'Danke, ich habe Ihren Zahlungsbeleg aufbewahrt.',
    noAnswer: 'Es tut mir leid, darauf habe ich keine Antwort gefunden.',
  },
  fr: {
    humanRequested: 'Bien sûr. Une personne de notre équipe vous écrira ici très bientôt.',
    textOnly: 'Je ne peux lire que du texte. Pourriez-vous m’écrire de quoi il s’agit ?',
    notUnderstood:
      'Désolé, je n’ai pas pu comprendre votre message. Pourriez-vous m’écrire de quoi il s’agit ?',
    receiptKept: 'Merci, j’ai conservé votre justificatif de paiement.',
    noAnswer: 'Désolé, je n’ai pas trouvé de réponse à cela.',
  },
  it: {
    humanRequested: 'Certo. Una persona del nostro team ti scriverà qui a breve.',
    textOnly: 'Posso leggere solo testo. Potresti scrivermi di cosa si tratta?',
    notUnderstood:
      'Mi dispiace, non ho potuto capire il tuo messaggio. Potresti scrivermi di cosa si tratta?',
    receiptKept: 'Grazie, ho conservato la tua ricevuta di pagamento.',
    noAnswer: 'Mi dispiace, non ho trovato una risposta.',
  },
  nl: {
    humanRequested: 'Natuurlijk. Iemand van ons team schrijft je hier binnenkort.',
    textOnly: 'Ik kan alleen tekst lezen. Kun je me schrijven waar het over gaat?',
    notUnderstood: 'Sorry, ik kon je bericht niet begrijpen. Kun je me schrijven waar het over gaat?',
    receiptKept: 'Bedankt, ik heb je betaalbewijs bewaard.',
    noAnswer: 'Sorry, daar heb ik geen antwoord op gevonden.',
  },
};

/** Falls back to English. `locale` is a tag like `pt-BR`. */
export function getCannedReplies(locale: string): CannedReplies {
  const language = locale.split('-')[0]?.toLowerCase() ?? '';
  return isLanguage(language) ? cannedReplies[language] : cannedReplies.en;
}

const isLanguage = (language: string): language is ReplyLanguage => Object.hasOwn(cannedReplies, language);
