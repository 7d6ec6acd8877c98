import type { ReplyLanguage } from './canned-replies.ts';

type RequestLanguage = Extract<ReplyLanguage, 'en' | 'es' | 'pt' | 'de' | 'fr' | 'it' | 'nl'>;

/** Requests for a person, in lower case without accents. */
const patterns: Record<RequestLanguage, readonly RegExp[]> = {
  en: [
    /\b(?:talk|speak|chat|write|get through|put me through|connect me|transfer me) (?:to|with) (?:an? |the |your |one of your )?(?:(?:real|live|actual|human) )?(?:human|person|agent|operator|representative|advisor|adviser|employee|colleague|staff|manager|someone|somebody|human being)\b/,
    /\b(?:want|need|give me|get me|have|like) (?:an? )?(?:real |live |actual )?(?:human|agent|operator|representative|real person|live person)\b/,
    /^(?:(?:real|live) )?(?:human|agent|operator|representative|person)(?: please)?$/,
  ],
  es: [
    /\b(?:hablar|comunicar\w*|chatear|contactar|pas\w+|conectar\w*) con (?:una? |el |la |algun |alguna )?(?:persona|humano|agente|asesora?|operadora?|representante|alguien|encargad[oa]|empleado)\b/,
    /\b(?:quiero|necesito|prefiero|pas\w+) (?:a )?(?:una? )?(?:humano|agente|persona real|persona de verdad|asesora?|operadora?)\b/,
    /^(?:humano|agente|asesora?|operadora?|persona)(?: por favor)?$/,
  ],
  pt: [
    /\b(?:falar|conversar|contactar|contatar|passar|transferir) (?:com|para) (?:uma? |o |a |algum |alguma )?(?:pessoa|humano|atendente|agente|operadora?|alguem|representante|funcionari[oa])\b/,
    /\b(?:quero|preciso|prefiro) (?:de )?(?:uma? )?(?:humano|atendente|agente|pessoa real|pessoa de verdade|atendimento humano)\b/,
    /^(?:humano|atendente|agente|atendimento humano|pessoa)(?: por favor)?$/,
  ],
  de: [
    /\bmit (?:einem |einer |dem |der |ihrem |eurem )?(?:echten |richtigen |lebenden )?(?:menschen|person|mitarbeiter\w*|berater\w*|kollegen|kollegin|jemandem|sachbearbeiter\w*)\b.{0,20}\b(?:sprechen|reden|schreiben|chatten|telefonieren|verbinden|verbunden)\b/,
    /\b(?:sprechen|reden|verbinden sie mich|verbinde mich) mit (?:einem |einer )?(?:echten |richtigen )?(?:menschen|person|mitarbeiter\w*|berater\w*|jemandem)\b/,
    /\b(?:mochte|will|brauche|bitte) (?:einen? )?(?:echten? |richtigen? )?(?:menschen?|mitarbeiter\w*|berater\w*)\b/,
    /^(?:mensch|mitarbeiter|berater)(?: bitte)?$/,
  ],
  fr: [
    /\b(?:parler|discuter|echanger|communiquer) (?:a|avec) (?:un |une |le |la |l |quelqu )?(?:vrai |vraie |autre )?(?:humain|personne|agent|conseillere?|operateur|operatrice|un|representant|employe)\b/,
    /\b(?:veux|voudrais|besoin d|passez moi|mettez moi en (?:relation|contact) avec) (?:un |une )?(?:humain|agent|vraie personne|conseillere?|operateur|operatrice)\b/,
    /^(?:humain|agent|conseillere?|operateur)(?: s il vous plait| svp)?$/,
  ],
  it: [
    /\b(?:parlare|chattare|comunicare|mettermi in contatto) con (?:un |una |uno |il |la |l |un altra )?(?:vera |vero )?(?:persona|umano|essere umano|operatore|operatrice|agente|consulente|qualcuno|addetto|responsabile)\b/,
    /\b(?:voglio|vorrei|ho bisogno di) (?:un |una )?(?:operatore|operatrice|umano|agente|persona (?:vera|reale))\b/,
    /^(?:operatore|umano|agente)(?: per favore)?$/,
  ],
  nl: [
    /\bmet (?:een |de |jullie )?(?:echt |echte )?(?:mens|persoon|medewerk\w+|iemand|collega)\b.{0,20}\b(?:praten|spreken|chatten|bellen|schrijven)\b/,
    /\b(?:spreken|praten|doorverbinden) met (?:een )?(?:echt |echte )?(?:mens|persoon|medewerk\w+|iemand)\b/,
    /^(?:mens|medewerker)(?: alstublieft| alsjeblieft| aub)?$/,
  ],
};

const longestRequest = 500;

/** Returns the language of a request for a person, or null. */
export function detectHumanRequest(text: string): RequestLanguage | null {
  if (text.length > longestRequest) return null;
  const plain = text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  // The keys of `patterns` are exactly the languages.
  const languages = Object.keys(patterns) as RequestLanguage[];
  return languages.find((language) => patterns[language].some((pattern) => pattern.test(plain))) ?? null;
}
