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
