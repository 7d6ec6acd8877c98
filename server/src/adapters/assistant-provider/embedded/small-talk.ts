import type { Language } from './languages.ts';
import { fillPhrase, selectPhrases } from './phrases.ts';
import { foldDiacritics, splitWords } from './words.ts';

type Talk = 'greeting' | 'thanks' | 'farewell' | 'introduction';

/** Complete messages, folded, separated by commas. */
const TALK: Partial<Record<Language, Record<Talk, string>>> = {
  english: {
    greeting: 'hi,hello,hey,hi there,hello there,good morning,good afternoon,good evening,good day',
    thanks:
      'thanks,thank you,thx,thanks a lot,many thanks,thank you very much,thank you so much,ok thanks,great thanks',
    farewell: 'bye,bye bye,goodbye,see you',
    introduction: 'who are you,what are you,what s your name,what is your name,who am i talking to',
  },
  spanish: {
    greeting: 'hola,buenas,buenos dias,buenas tardes,buenas noches,hola buenas,hola buenos dias',
    thanks: 'gracias,muchas gracias,mil gracias,vale gracias,ok gracias,perfecto gracias',
    farewell: 'adios,hasta luego,hasta pronto,chao',
    introduction:
      'quien eres,quien es usted,como te llamas,como se llama usted,cual es tu nombre,con quien hablo',
  },
  german: {
    greeting: 'hallo,guten tag,guten morgen,guten abend,moin,servus,gruss gott,gruezi',
    thanks: 'danke,danke schon,dankeschon,danke sehr,vielen dank,ok danke,super danke',
    farewell: 'tschuss,auf wiedersehen,bis bald,ciao',
    introduction: 'wer bist du,wer sind sie,wie heisst du,wie heissen sie,mit wem spreche ich',
  },
  portuguese: {
    greeting: 'ola,oi,bom dia,boa tarde,boa noite',
    thanks: 'obrigado,obrigada,muito obrigado,muito obrigada',
    farewell: 'tchau,ate logo',
    introduction: 'quem e voce,como voce se chama,qual e o seu nome',
  },
  french: {
    greeting: 'bonjour,bonsoir,salut',
    thanks: 'merci,merci beaucoup',
    farewell: 'au revoir,a bientot',
    introduction: 'qui es tu,qui etes vous,comment tu t appelles,comment vous appelez vous',
  },
  italian: {
    greeting: 'buongiorno,buonasera,salve',
    thanks: 'grazie,grazie mille',
    farewell: 'arrivederci',
    introduction: 'chi sei,come ti chiami',
  },
  dutch: {
    greeting: 'goedemorgen,goedemiddag,goedenavond',
    thanks: 'bedankt,dank je,dank u',
    farewell: 'tot ziens,doei',
    introduction: 'wie ben je,wie bent u,hoe heet je',
  },
};

const MEANT = new Map(
  Object.entries(TALK).flatMap(([language, talks]) =>
    Object.entries(talks).flatMap(([talk, messages]) =>
      // The keys of the table above.
      messages.split(',').map((message) => [message, { language: language as Language, talk: talk as Talk }]),
    ),
  ),
);

/** Returns the reply to a greeting, thanks, farewell or a question for the name; else `null`. */
export function findSmallTalkReply(text: string, name: string): string | null {
  const message = splitWords(text)
    .map(({ form }) => foldDiacritics(form))
    .join(' ');
  const meant = MEANT.get(message);
  if (meant === undefined) return null;
  const phrases = selectPhrases([meant.language]);
  return meant.talk === 'introduction' ? fillPhrase(phrases.introduction, name) : phrases[meant.talk];
}
