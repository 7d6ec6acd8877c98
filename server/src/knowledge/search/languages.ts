/** Languages with a Snowball dictionary and stop words in PostgreSQL. `simple` stands for all others, also for those without spaces. */
export const allLanguages = [
  'english',
  'spanish',
  'german',
  'portuguese',
  'french',
  'italian',
  'dutch',
  'danish',
  'swedish',
  'norwegian',
  'finnish',
  'hungarian',
  'russian',
  'turkish',
  'simple',
] as const;

export type Language = (typeof allLanguages)[number];

export const languageCodes: Readonly<Record<Exclude<Language, 'simple'>, string>> = {
  english: 'en',
  spanish: 'es',
  german: 'de',
  portuguese: 'pt',
  french: 'fr',
  italian: 'it',
  dutch: 'nl',
  danish: 'da',
  swedish: 'sv',
  norwegian: 'nb',
  finnish: 'fi',
  hungarian: 'hu',
  russian: 'ru',
  turkish: 'tr',
};
