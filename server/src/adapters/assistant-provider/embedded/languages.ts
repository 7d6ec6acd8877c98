/** Languages with a Snowball dictionary and a list of stop words in PostgreSQL; `simple` is any other. */
export const LANGUAGES = [
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

export type Language = (typeof LANGUAGES)[number];
