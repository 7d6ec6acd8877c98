import { type ReplyLanguage, replyLanguages } from './canned-replies.ts';

/** Languages without canned replies. Their contacts get the language of the team, not a similar one. */
const others = 'sv,da,no,fi,cs,sk,hu,ro,el,bg,hr,sr,lt,lv,et,ca,tl,ms,vi,th,fa,ur,bn,ta,te,mr'.split(',');

/** Words of short messages, which say too little otherwise. Languages with a script of their own need none. */
const commonWords: Partial<Record<ReplyLanguage, string>> = {
  en: 'hello,thanks,thank you,good morning,good afternoon,good evening,price,how much',
  es: 'hola,gracias,buenas,buenos dias,buenos días,buenas tardes,buenas noches,adios,adiós,precio,cuanto,cuánto,cuesta,horario',
  pt: 'oi,olá,obrigado,obrigada,bom dia,boa tarde,boa noite,tchau,preço,quanto custa,horário',
  de: 'danke,guten tag,guten morgen,guten abend,moin,servus,tschüss,kostet,preis,preise',
  fr: 'bonjour,bonsoir,salut,merci,au revoir,oui,prix,combien,horaires',
  it: 'ciao,grazie,buongiorno,buon giorno,buonasera,salve,arrivederci,quanto costa,prezzo,orari',
  nl: 'hoi,bedankt,dank je,dank u,goedemorgen,goedemiddag,goedenavond,tot ziens,wat,prijs,hoeveel',
  pl: 'cześć,czesc,dzień dobry,dzien dobry,dziękuję,dziekuje,do widzenia,ile',
  tr: 'merhaba,selam,teşekkürler,teşekkür ederim,günaydın,iyi günler,fiyat,ne kadar',
  id: 'halo,terima kasih,selamat pagi,selamat siang,selamat malam,berapa,harga,dimana',
  hi: 'namaste',
};

const languagesOfWords = new Map(
  Object.entries(commonWords).flatMap(([language, words]) =>
    words.split(',').map((word) => [word, language]),
  ),
);

/** The usual language of a script. Japanese comes before Chinese, whose characters it also has. */
const scripts: [ReplyLanguage, RegExp][] = [
  ['ar', /\p{sc=Arabic}/u],
  ['he', /\p{sc=Hebrew}/u],
  ['hi', /\p{sc=Devanagari}/u],
  ['ja', /[\p{sc=Hiragana}\p{sc=Katakana}]/u],
  ['ko', /\p{sc=Hangul}/u],
  ['zh', /\p{sc=Han}/u],
];

const maxMessages = 10;
const longestText = 300;
/** A common word counts like this many letters. */
const commonWordLetters = 10;
/** More letters of one message say no more. */
const mostLetters = 60;
/** A syllable or a word is one character there. */
const denseLetters = 4;
/** The weight of a message in relation to the next one. */
const decay = 0.6;
/** From this accuracy on, the text has letters or words that only one language has. */
const distinct = 0.3;
/** The weight of a text without them in the script that most languages share. */
const indistinctWeight = 0.5;
/** In letters. */
const leastScore = 3;
/** Decides between two languages that are almost equally likely. */
const localeScore = 1;

/**
 * Returns the language in which a contact writes, if it has canned replies and the messages say enough; else null. `texts` are those
 * of the contact, oldest first. `locale` is that of the team.
 */
export async function detectContactLanguage(
  texts: readonly string[],
  locale: string,
): Promise<ReplyLanguage | null> {
  // Loaded on first use, because its profiles take 8 MB and only some processes answer contacts.
  const { detectAll } = await import('tinyld');
  const scores = new Map<string, number>();
  const add = (language: string, score: number) => scores.set(language, (scores.get(language) ?? 0) + score);
  for (const [age, text] of texts.slice(-maxMessages).reverse().entries()) {
    const words = readWords(text);
    const weight = decay ** age;
    const letters = Math.min(mostLetters, countLetters(words)) * weight;
    for (const [language, share] of readShares(detectAll, words)) add(language, share * letters);
    for (const language of findCommonWords(words)) add(language, commonWordLetters * weight);
  }
  if (Math.max(0, ...scores.values()) < leastScore) return null;
  add(locale.split('-')[0]?.toLowerCase() ?? '', localeScore);
  const [[best] = []] = [...scores].sort(([, a], [, b]) => b - a);
  return replyLanguages.find((language) => language === best) ?? null;
}

/** Returns how likely each language is, from 0 to 1. */
function readShares(detectAll: typeof import('tinyld').detectAll, words: string): [string, number][] {
  const [first] = detectAll(words, { only: [...replyLanguages, ...others] });
  if (first !== undefined && first.accuracy >= distinct) return [[first.lang, 1]];
  const written = scripts.find(([, letter]) => letter.test(words));
  if (written !== undefined) return [[written[0], 1]];
  const found = detectAll(words, { only: [...replyLanguages] });
  const sum = found.reduce((total, { accuracy }) => total + accuracy, 0);
  const weight = /\p{sc=Latin}/u.test(words) ? indistinctWeight : 1;
  return found.map(({ lang, accuracy }) => [lang, (weight * accuracy) / sum]);
}

/** Without addresses, numbers, and descriptions of other content such as `[location: …]`. */
const readWords = (text: string): string =>
  [...text]
    .slice(0, longestText)
    .join('')
    .replaceAll(/\[[^\]]*\]|https?:\S+|\S+@\S+|\S*\d\S*/g, ' ')
    .toLowerCase()
    .trim();

const countLetters = (words: string): number =>
  [...words].reduce(
    (sum, letter) =>
      sum +
      (/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u.test(letter)
        ? denseLetters
        : /\p{L}/u.test(letter)
          ? 1
          : 0),
    0,
  );

function findCommonWords(words: string): string[] {
  const forms = words.split(/[^\p{L}\p{M}]+/u);
  return forms.flatMap((form, index) => {
    const pair = `${form} ${forms[index + 1] ?? ''}`;
    return languagesOfWords.get(pair) ?? languagesOfWords.get(form) ?? [];
  });
}
