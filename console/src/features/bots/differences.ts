import type { BotVersionDetail } from '@parley/sdk';
import { type ActionDraft, type BotDraft, toActionDraft } from './bot-draft.ts';

interface ChangedLine {
  kind: 'removed' | 'added';
  text: string;
}

/** Returns the lines that only one of the texts has, in the order of the texts. */
export function diffLines(before: readonly string[], after: readonly string[]): ChangedLine[] {
  // common[i][j] is the length of the longest common subsequence of before[i..] and after[j..].
  const common = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const row = common[i];
      if (row !== undefined)
        row[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const lines: ChangedLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [removed, added] = [before[i], after[j]];
    if (removed !== undefined && removed === added) {
      i += 1;
      j += 1;
    } else if (removed !== undefined && (added === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: 'removed', text: removed });
      i += 1;
    } else if (added !== undefined) {
      lines.push({ kind: 'added', text: added });
      j += 1;
    }
  }
  return lines;
}

export const versionToDraft = ({ questions, actions, ...version }: BotVersionDetail): BotDraft => ({
  name: version.name,
  identification_name: version.identification_name,
  description: version.description,
  instructions: version.instructions,
  temperature: version.temperature,
  chat_model_level: version.chat_model_level,
  allow_human: version.allow_human,
  break_lines: version.break_lines,
  use_audio_responses: version.use_audio_responses,
  allow_user_audio_requests: version.allow_user_audio_requests,
  capture_payments: version.capture_payments,
  answer_max_age_minutes: version.answer_max_age_minutes ?? null,
  questions,
  actions: actions.map(toActionDraft),
  document_ids: version.document_ids,
});

const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'));

const actionLines = ({ name, ...action }: ActionDraft): string[] =>
  [
    `${action.method} ${action.endpoint}`,
    ...linesOf(action.description),
    ...action.headers.map(({ key, value }) => `${key}: ${value}`),
    ...action.body.map(({ key, value, type }) => `${key} = ${value} (${type})`),
    ...action.parameters.map((each) => `${each.name}${each.required ? '*' : ''} ${each.description}`),
  ].map((line) => `${name}: ${line}`);

const settings = [
  'name',
  'identification_name',
  'description',
  'allow_human',
  'break_lines',
  'use_audio_responses',
  'allow_user_audio_requests',
  'capture_payments',
  'temperature',
  'chat_model_level',
  'answer_max_age_minutes',
] as const satisfies (keyof BotDraft)[];

/** Of the only setting that can be null. */
const defaultMaxAgeMinutes = 720;

export type Setting = (typeof settings)[number];
type Section = 'settings' | 'instructions' | 'questions' | 'actions' | 'documents';

/** Compares two states of a bot, section by section. Equal sections are left out. */
export function findDifferences(
  before: BotDraft,
  after: BotDraft,
  texts: {
    setting: (name: Setting, value: string | number | boolean) => string;
    document: (id: string) => string;
  },
): { section: Section; lines: ChangedLine[] }[] {
  const sections: Record<Section, (draft: BotDraft) => string[]> = {
    settings: (draft) => settings.map((name) => texts.setting(name, draft[name] ?? defaultMaxAgeMinutes)),
    instructions: ({ instructions }) => linesOf(instructions),
    questions: ({ questions }) => questions.map(({ question, answer }) => `${question} → ${answer}`),
    actions: ({ actions }) => actions.flatMap(actionLines),
    documents: ({ document_ids }) => document_ids.map(texts.document).sort(),
  };
  return Object.entries(sections)
    .map(([section, linesFor]) => ({
      // The keys of `sections` are these.
      section: section as Section,
      lines: diffLines(linesFor(before), linesFor(after)),
    }))
    .filter(({ lines }) => lines.length > 0);
}
