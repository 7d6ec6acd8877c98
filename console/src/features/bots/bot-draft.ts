import type { BotAction, BotDetail, UpdateBotInput } from '@parley/sdk';

export interface Pair {
  question: string;
  answer: string;
}

/** What the editor changes: the draft of a bot without its ids and times. */
export interface BotDraft {
  name: string;
  identification_name: string;
  description: string;
  instructions: string;
  temperature: number;
  chat_model_level: number;
  allow_human: boolean;
  break_lines: boolean;
  use_audio_responses: boolean;
  allow_user_audio_requests: boolean;
  capture_payments: boolean;
  /** Null: the default. */
  answer_max_age_minutes: number | null;
  questions: readonly Pair[];
  actions: readonly ActionDraft[];
  document_ids: readonly string[];
}

/** What a tab of the editor needs to show the draft and change it. */
export interface DraftProps {
  draft: BotDraft;
  change: (changes: Partial<BotDraft>) => void;
  issues: Readonly<Record<string, string>>;
}

export interface ActionDraft {
  /** Absent in an action that is not stored yet. */
  id?: string | undefined;
  name: string;
  description: string;
  endpoint: string;
  method: BotAction['method'];
  headers: readonly { key: string; value: string }[];
  body: BotAction['body'];
  parameters: NonNullable<BotAction['parameters']>;
}

export const toDraft = (bot: BotDetail): BotDraft => ({
  name: bot.name,
  identification_name: bot.identification_name,
  description: bot.description,
  instructions: bot.instructions,
  temperature: bot.temperature,
  chat_model_level: bot.chat_model_level,
  allow_human: bot.allow_human,
  break_lines: bot.break_lines,
  use_audio_responses: bot.use_audio_responses,
  allow_user_audio_requests: bot.allow_user_audio_requests,
  capture_payments: bot.capture_payments,
  answer_max_age_minutes: bot.answer_max_age_minutes ?? null,
  questions: bot.questions.map(({ question, answer }) => ({ question, answer })),
  actions: bot.actions.map(toActionDraft),
  document_ids: bot.documents.map(({ document_id }) => document_id),
});

export const toActionDraft = ({
  headers,
  parameters = [],
  signed: _,
  ...action
}: BotAction): ActionDraft => ({
  ...action,
  headers: headers.all ?? (headers.key === '' ? [] : [{ key: headers.key, value: headers.value }]),
  parameters,
});

export const toUpdate = (id: string, draft: BotDraft): UpdateBotInput => ({
  ...draft,
  id,
  questions: draft.questions.filter(({ question, answer }) => question.trim() !== '' || answer.trim() !== ''),
  document_ids: [...draft.document_ids],
  actions: draft.actions.map((action) => ({
    ...action,
    headers: { all: [...action.headers] },
    body: [...action.body],
    parameters: [...action.parameters],
  })),
});

const mapHeaders = (
  draft: BotDraft,
  toValue: (action: ActionDraft, key: string, value: string) => string,
): BotDraft => ({
  ...draft,
  actions: draft.actions.map((action) => ({
    ...action,
    headers: action.headers.map(({ key, value }) => ({ key, value: toValue(action, key, value) })),
  })),
});

/** The values of headers are secrets of other services, which no browser may store. */
export const withoutHeaderValues = (draft: BotDraft): BotDraft => mapHeaders(draft, () => '');

/** Puts the stored values into headers that the draft knows by name only. */
export function withHeaderValues(draft: BotDraft, bot: BotDetail): BotDraft {
  const stored = new Map(toDraft(bot).actions.map(({ id, headers }) => [id, headers]));
  return mapHeaders(
    draft,
    ({ id }, key, value) => stored.get(id)?.find((header) => header.key === key)?.value ?? value,
  );
}

/** Returns the names of the values that the bot fills in: placeholders, and body items without a value. */
export function findParameters({
  endpoint,
  headers,
  body,
}: Pick<ActionDraft, 'endpoint' | 'headers' | 'body'>): string[] {
  const texts = [endpoint, ...headers.map(({ value }) => value), ...body.map(({ value }) => value)];
  const placeholders = texts.flatMap((text) =>
    [...text.matchAll(/\{\{\s*([^{}]+?)\s*\}\}/g)].map(([, name = '']) => name),
  );
  const emptyItems = body.filter(({ value }) => value === '').map(({ key }) => key);
  return [...new Set([...placeholders, ...emptyItems])].filter((name) => name !== '');
}
