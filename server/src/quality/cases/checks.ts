import { splitForms, unspacedLetter } from '../../knowledge/search/words.ts';
import type { Check } from './cases.schemas.ts';

/** What a bot did in reply to the messages of a case. */
export interface Observed {
  /** Empty: the bot stays silent. */
  text: string;
  answered: boolean;
  handsOver: boolean;
  asksBack: boolean;
  /** The code of the language of the text. Null if it says too little. */
  language: string | null;
  /** The questions of the pairs that the text is from. */
  pairs: readonly string[];
  documentIds: readonly string[];
  calls: readonly { name: string; arguments: Readonly<Record<string, unknown>>; recorded: boolean }[];
  /** In the currency of the prices. Null if a price is unknown. */
  cost: number | null;
  ms: number;
}

export interface CheckResult {
  kind: Check['kind'];
  passed: boolean;
  /** Why it did not pass. */
  because: string | null;
}

/** Compares a reply with a check. A check of kind `judge` passes: a model judges it later, and it only warns. */
export function runCheck(check: Check, observed: Observed): CheckResult {
  const because = findFault(check, observed);
  return { kind: check.kind, passed: because === null, because };
}

function findFault(check: Check, observed: Observed): string | null {
  const { text, calls } = observed;
  switch (check.kind) {
    case 'contains':
      return containsWords(text, check.text ?? '') ? null : `the answer does not contain “${check.text}”`;
    case 'lacks':
      return containsWords(text, check.text ?? '') ? `the answer contains “${check.text}”` : null;
    case 'cites_pair': {
      const cited = observed.pairs.some((question) => isSame(question, check.question ?? ''));
      return cited ? null : describeSources(observed);
    }
    case 'cites_document':
      return observed.documentIds.includes((check.document_id ?? '').toLowerCase())
        ? null
        : describeSources(observed);
    case 'calls_action':
      return findCallFault(check, calls);
    case 'calls_none':
      return calls.length === 0 ? null : `it calls ${calls.map(({ name }) => name).join(', ')}`;
    case 'hands_over':
      return observed.handsOver ? null : 'it does not hand over to a person';
    case 'silent':
      return text === '' ? null : 'it answers';
    case 'asks_back':
      return observed.asksBack ? null : 'it does not ask back';
    case 'language':
      return observed.language === check.language
        ? null
        : `the language of the answer is ${observed.language ?? 'unknown'}`;
    case 'max_cost':
      if (observed.cost === null) return 'the cost is unknown, because a price is';
      return observed.cost <= (check.value ?? 0) ? null : `the answer costs ${observed.cost}`;
    case 'max_ms':
      return observed.ms <= (check.value ?? 0) ? null : `the answer takes ${observed.ms} ms`;
    case 'judge':
      return null;
  }
}

function findCallFault(check: Check, calls: Observed['calls']): string | null {
  const named = calls.filter(({ name }) => name === check.name);
  if (named.length === 0) return `it does not call ${check.name}`;
  const wanted = Object.entries(check.arguments ?? {});
  const fits = named.some((call) =>
    wanted.every(([name, value]) => isSame(String(call.arguments[name] ?? ''), String(value))),
  );
  return fits ? null : `it calls ${check.name} with ${JSON.stringify(named[0]?.arguments)}`;
}

function describeSources({ pairs, documentIds, answered }: Observed): string {
  if (!answered) return 'the bot does not know the answer';
  const cited = [
    ...pairs.map((question) => `the pair “${question}”`),
    ...documentIds.map((id) => `document ${id}`),
  ];
  return cited.length === 0 ? 'the answer cites nothing' : `the answer cites ${cited.join(' and ')}`;
}

/** Case, punctuation and the kind of blanks do not count: a model writes them in many ways. */
const words = (text: string): string => splitForms(text).join(' ');

const isSame = (one: string, other: string): boolean =>
  one.trim() === other.trim() || (words(one) !== '' && words(one) === words(other));

/** Whole words, except in scripts that put no spaces between them. A text without words, like a currency sign, occurs as it is. */
const containsWords = (text: string, part: string): boolean =>
  words(part) === '' || unspaced.test(part)
    ? text.includes(part)
    : ` ${words(text)} `.includes(` ${words(part)} `);

const unspaced = new RegExp(unspacedLetter, 'v');
