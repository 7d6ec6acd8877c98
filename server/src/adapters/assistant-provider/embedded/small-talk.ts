import type { Language } from '../../../knowledge/languages.ts';
import { foldDiacritics, splitWords } from '../../../knowledge/words.ts';

export type Talk = 'help' | 'introduction' | 'farewell' | 'thanks' | 'greeting';

/** Folded expressions, separated by commas. `filler` may stand beside the others. */
const talkByLanguage: Partial<Record<Language, Partial<Record<Talk | 'filler', string>>>> = {
  english: {
    greeting:
      'hi,hello,hey,hiya,howdy,good morning,good afternoon,good evening,good day,how are you,how is it going,anyone there,is anyone there,are you there',
    thanks:
      'thanks,thank you,thx,ty,many thanks,cheers,that helped,that helps,very helpful,you are great,great help,much appreciated,i appreciate it',
    farewell:
      'bye,bye bye,goodbye,good bye,see you,see ya,good night,have a nice day,have a good day,take care,that is all,that s all',
    introduction:
      'who are you,what are you,what s your name,what is your name,who am i talking to,who is this,are you a bot,are you a robot,are you human,are you a human,are you real,are you a real person,am i talking to a bot',
    help: 'help,help me,can you help me,i need help,what can you do,what can you do for me,what do you do,what can i ask,what can i ask you,what can you help with,what can you help me with,how can you help me,how can you help,how does this work',
    filler:
      'there,so much,a lot,very much,again,for your help,for the help,for your time,ok,okay,great,perfect,cool,nice,super,all right,alright,and,then,now,for now,later,today,please,sir,madam,everyone,team,it,doing,oh,well,got it',
  },
  spanish: {
    greeting:
      'hola,buenas,buenos dias,buen dia,buenas tardes,buenas noches,que tal,como estas,como esta,hay alguien',
    thanks: 'gracias,muchas gracias,mil gracias,te lo agradezco,muy amable,me has ayudado,que amable',
    farewell: 'adios,hasta luego,hasta pronto,chao,nos vemos,hasta manana,eso es todo,que tengas un buen dia',
    introduction:
      'quien eres,quien es usted,como te llamas,como se llama usted,cual es tu nombre,con quien hablo,eres un bot,eres un robot,eres una persona,eres humano',
    help: 'ayuda,ayudame,me puedes ayudar,puedes ayudarme,necesito ayuda,que puedes hacer,que sabes hacer,que haces,que puedo preguntar,que puedo preguntarte,en que puedes ayudarme,en que me puedes ayudar,como funciona esto',
    filler:
      'vale,ok,perfecto,genial,muy bien,bien,a todos,por todo,por tu ayuda,por la ayuda,por su ayuda,y,entonces,por favor,listo',
  },
  german: {
    greeting:
      'hallo,hi,hey,guten tag,guten morgen,guten abend,moin,servus,gruss gott,gruezi,wie geht es dir,wie geht es ihnen,wie geht s,ist da jemand',
    thanks:
      'danke,danke schon,dankeschon,danke sehr,vielen dank,besten dank,herzlichen dank,das hat geholfen,sehr hilfreich,sehr nett',
    farewell:
      'tschuss,tschuess,auf wiedersehen,bis bald,bis dann,bis spater,ciao,gute nacht,das war alles,das ist alles,schonen tag noch,einen schonen tag',
    introduction:
      'wer bist du,wer sind sie,was bist du,wie heisst du,wie heissen sie,mit wem spreche ich,bist du ein bot,bist du ein roboter,bist du ein mensch,sind sie ein bot,sind sie ein mensch',
    help: 'hilfe,hilf mir,kannst du mir helfen,konnen sie mir helfen,ich brauche hilfe,was kannst du,was konnen sie,was machst du,was kann ich fragen,was kann ich dich fragen,was kann ich sie fragen,wobei kannst du helfen,wobei kannst du mir helfen,wobei konnen sie mir helfen,wie funktioniert das',
    filler:
      'ok,okay,super,alles klar,gut,prima,perfekt,fur die hilfe,fur ihre hilfe,fur deine hilfe,zusammen,dir,ihnen,und,dann,so,sehr,auch,bitte,noch',
  },
  portuguese: {
    greeting: 'ola,oi,bom dia,boa tarde,boa noite,tudo bem,tudo bom,como vai,como voce esta,tem alguem ai',
    thanks: 'obrigado,obrigada,muito obrigado,muito obrigada,valeu,brigado,brigada,agradeco,ajudou muito',
    farewell: 'tchau,ate logo,ate mais,ate breve,adeus,ate amanha,e so isso,tenha um bom dia',
    introduction:
      'quem e voce,quem es tu,como voce se chama,como te chamas,qual e o seu nome,qual o seu nome,com quem falo,com quem eu falo,voce e um robo,voce e um bot,voce e humano',
    help: 'ajuda,me ajuda,me ajude,pode me ajudar,voce pode me ajudar,preciso de ajuda,o que voce faz,o que voce pode fazer,o que voce sabe fazer,o que posso perguntar,em que voce pode ajudar,em que pode me ajudar,como funciona',
    filler:
      'ok,certo,perfeito,otimo,legal,muito bem,bem,pela ajuda,por tudo,gente,pessoal,e,entao,por favor,isso',
  },
};

/** In this order: thanks before a farewell are a farewell. */
const talksByPriority = ['help', 'introduction', 'farewell', 'thanks', 'greeting'] as const;
const longestExpression = 6;

const expressions = Object.entries(talkByLanguage).map(([language, talks]) => ({
  language: language as Language, // a key of the table above
  talkOf: new Map(
    Object.entries(talks).flatMap(([talk, words]) => words.split(',').map((each) => [each, talk] as const)),
  ),
}));

/** Recognises a message that is nothing but small talk. */
export function findSmallTalk(text: string): { language: Language; talk: Talk } | null {
  const words = splitWords(text).map(({ form }) => foldDiacritics(form));
  for (const { language, talkOf } of expressions) {
    const found = new Set<string>();
    let at = 0;
    while (at < words.length) {
      let length = longestExpression;
      while (length > 0 && !talkOf.has(words.slice(at, at + length).join(' '))) length -= 1;
      if (length === 0) break;
      found.add(talkOf.get(words.slice(at, at + length).join(' ')) ?? '');
      at += length;
    }
    const talk = talksByPriority.find((each) => found.has(each));
    if (at >= words.length && talk !== undefined) return { language, talk };
  }
  return null;
}
