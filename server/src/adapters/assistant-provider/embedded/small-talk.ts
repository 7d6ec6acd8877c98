import { filled, type Phrases } from './phrases.ts';
import { folded, wordsOf } from './words.ts';

/** Whole messages that want no knowledge, folded, by what they want. */
const TALK: readonly { reply: 'greeting' | 'thanks' | 'farewell' | 'introduction'; messages: RegExp }[] = [
  {
    reply: 'greeting',
    messages:
      /^(?:hi|hello|hey|hi there|hello there|good (?:morning|afternoon|evening|day)|hola|buenas|buenos dias|buenas (?:tardes|noches)|hallo|guten (?:tag|morgen|abend)|moin|servus|gruss gott|ola|oi|bom dia|boa (?:tarde|noite)|bonjour|bonsoir|salut|ciao|buongiorno|buonasera|salve|goedemorgen|goedemiddag|goedenavond)$/,
  },
  {
    reply: 'thanks',
    messages:
      /^(?:(?:ok |okay |great |perfect |super |vale |perfecto )?(?:thanks|thank you|thx|thanks a lot|many thanks|thank you (?:very|so) much|gracias|muchas gracias|mil gracias|danke|danke schon|danke sehr|vielen dank|dankeschon|obrigad[oa]|muito obrigad[oa]|merci|merci beaucoup|grazie|grazie mille|bedankt|dank je|dank u))$/,
  },
  {
    reply: 'farewell',
    messages:
      /^(?:bye|bye bye|goodbye|see you|adios|hasta luego|hasta pronto|chao|tschuss|auf wiedersehen|bis bald|tchau|ate logo|au revoir|a bientot|arrivederci|tot ziens|doei)$/,
  },
  {
    reply: 'introduction',
    messages:
      /^(?:who are you|what are you|what(?: i)?s your name|what is your name|who am i talking to|quien eres|quien es usted|como te llamas|cual es tu nombre|con quien hablo|wer bist du|wer sind sie|wie heisst du|wie heissen sie|mit wem spreche ich|quem e voce|como voce se chama|qual e o seu nome|qui es tu|qui etes vous|comment tu t appelles|chi sei|come ti chiami|wie ben je|wie bent u|hoe heet je)$/,
  },
];

/** The reply to a greeting, thanks, farewell or a question for the assistant's name; `null` for everything else. */
export function smallTalk(text: string, name: string, phrases: Phrases): string | null {
  const message = wordsOf(text)
    .map(({ form }) => folded(form))
    .join(' ');
  const talk = TALK.find(({ messages }) => messages.test(message));
  if (talk === undefined) return null;
  return talk.reply === 'introduction' ? filled(phrases.introduction, name) : phrases[talk.reply];
}
