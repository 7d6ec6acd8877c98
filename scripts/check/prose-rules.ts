/** A phrase that readers must read twice, with its replacement. */
export interface Phrase {
  /** In lower case, with single spaces. */
  forms: readonly string[];
  instead: string;
}

/** The check searches for these phrases in all text and ignores case. */
export const phrases: readonly Phrase[] = [
  {
    forms: ['is told', 'was told', 'be told', 'being told'],
    instead: 'name the actor: "the pool reports", "the caller receives"',
  },
  { forms: ['are told', 'were told'], instead: 'name the actor: "the pools receive", "clients see"' },
  {
    forms: ['whoever', 'whomever', 'whosoever'],
    instead: 'name the actor: "the caller", "an operator", "any client"',
  },
  { forms: ['of which'], instead: 'a second sentence' },
  { forms: ['nobody else'], instead: '"no other caller", "no other team"' },
  { forms: ['what is'], instead: 'name the thing: "the open connections", not "what is open"' },
  { forms: ['for want of'], instead: '"because … is missing", "without"' },
  { forms: ['is done by', 'are done by'], instead: 'the active voice: "the worker refunds"' },
  { forms: ['brought again'], instead: '"redelivered"' },
  { forms: ['gives back', 'given back', 'giving back'], instead: '"refunds", "returns", "releases"' },
  { forms: ['lets go', 'letting go'], instead: '"releases", "closes", "drops"' },
];

/** Invented names. The check searches for them as whole words and as parts of identifiers and paths. */
export const coinedNames: readonly Phrase[] = [
  { forms: ['deed'], instead: 'workload, operation or mutation' },
  { forms: ['furniture', 'furnish'], instead: 'fixtures, create' },
  { forms: ['mischief'], instead: 'mutator' },
  { forms: ['joint work'], instead: 'batcher' },
  { forms: ['reads together'], instead: 'loader' },
  { forms: ['hand off', 'handoff'], instead: 'delivery attempt' },
  { forms: ['tombstone'], instead: 'external cleanup' },
  { forms: ['bury', 'buried'], instead: 'schedule deletion' },
  { forms: ['situation'], instead: 'conversation context' },
  { forms: ['patience', 'impatient'], instead: 'lock timeout' },
  { forms: ['network word'], instead: 'delivery status' },
  { forms: ['kept port'], instead: 'reserved port' },
  { forms: ['kept process'], instead: 'supervised process' },
  { forms: ['sound input'], instead: 'valid input' },
  { forms: ['lay foundations'], instead: 'create context' },
];

/** An exception. `line` must match the line in which the phrase begins. */
export interface Allowed {
  path: RegExp;
  line: RegExp;
  reason: string;
}

export const allowed: readonly Allowed[] = [
  {
    path: /^scripts\/demo\/handbook-text\.ts$/,
    line: /./,
    reason: "the text of the demo's PDF, which tests quote",
  },
  {
    path: /(assistant-provider\/embedded|knowledge)\/.*\.test\.ts$/,
    line: /['"`][^'"`]*\bwhat is\b[^'"`]*['"`]/i,
    reason: 'questions of contacts, which need not end in a question mark',
  },
  {
    path: /\.ts$/,
    line: /\b(from|into|update|join|table|using|exists) tombstones\b|'tombstones'|^ {4}tombstones:|\btombstones_/,
    reason: 'the name of a database table in applied migrations',
  },
  {
    path: /\.ts$/,
    line: /'(remove-buried|bury-orphans|tombstone\.after_delete)'/,
    reason: 'stored job names and the name of a fault point',
  },
];
