import { sql } from 'kysely';
import type { Transaction } from '../../platform/database/database.ts';
import { prepare } from '../../platform/database/prepare.ts';
import { chargeCosts } from '../../tenancy/usage/usage.sql.ts';
import { type Claim, type ClaimEnd, endClaims } from '../conversations/claims.sql.ts';
import { deleteToolCalls } from '../conversations/tool-calls.sql.ts';
import type { AnswerCount } from './answer-count.ts';
import { addToBotDays } from './bot-days.sql.ts';
import type { Unreadable } from './voice-notes.ts';

interface AnswerRow {
  id: string;
  botId: string;
  version: number;
  answered: boolean;
  credits: number;
  trace: object;
  count: AnswerCount | null;
  /** Of the models. Null if it is unknown. */
  cost: number | null;
}

/** A message with `unreadable` gets it as its outcome. */
export interface CompletedAnswer {
  claim: Claim;
  answer: AnswerRow;
  messages: readonly { id: string; unreadable: Pick<Unreadable, 'outcome' | 'kind'> | null }[];
  end: Omit<ClaimEnd, 'staysIdle' | 'flagReason'>;
}

interface AnswerColumns {
  ids: readonly string[];
  conversationIds: readonly string[];
  fences: readonly number[];
  teamIds: readonly string[];
  deviceIds: readonly string[];
  contactNumbers: readonly string[];
  botIds: readonly string[];
  versions: readonly number[];
  answered: readonly boolean[];
  credits: readonly number[];
  traces: readonly string[];
  flags: readonly (string | null)[];
  pauses: readonly (number | null)[];
  days: readonly (string | null)[];
  outcomes: readonly (string | null)[];
  topics: readonly (string | null)[];
  languages: readonly (string | null)[];
  costs: readonly (number | null)[];
  messageIds: readonly string[];
  messageOutcomes: readonly (string | null)[];
  answerIds: readonly string[];
  month: string;
}

/** Watched by record_answer_event, record_message_statuses and record_payment_event. */
const completed = prepare<AnswerColumns, { id: string; due: boolean; charged: boolean }>(
  (value) => sql`
    with ends as materialized (
      select *, false as rests, null::text as flag_reason
      from unnest((select ${value('ids')}::uuid[]), (select ${value('conversationIds')}::uuid[]), (select ${value('fences')}::bigint[]),
                  (select ${value('teamIds')}::uuid[]), (select ${value('deviceIds')}::uuid[]), (select ${value('contactNumbers')}::text[]),
                  (select ${value('botIds')}::uuid[]), (select ${value('versions')}::int[]), (select ${value('answered')}::boolean[]),
                  (select ${value('credits')}::int[]), (select ${value('traces')}::jsonb[]), (select ${value('flags')}::text[]),
                  (select ${value('pauses')}::int[]), (select ${value('days')}::date[]), (select ${value('outcomes')}::text[]),
                  (select ${value('topics')}::text[]), (select ${value('languages')}::text[]), (select ${value('costs')}::numeric[]))
             as answer (id, conversation_id, fence, team_id, device_id, contact_number, bot_id, version, answered,
                        credits, trace, flag, pause_minutes, day, outcome, topic, language, cost)
    ), answer as (
      insert into answers (id, team_id, bot_id, version, device_id, contact_number, answered, credits, trace)
      select id, team_id, bot_id, version, device_id, contact_number, answered, credits, trace from ends
    ), settled as (
      update messages m set status = 'answered', answer_id = settled.answer_id, failure = settled.outcome
      from unnest((select ${value('messageIds')}::uuid[]), (select ${value('messageOutcomes')}::text[]), (select ${value('answerIds')}::uuid[]))
             as settled (id, outcome, answer_id)
      where m.id = settled.id and m.status = 'received'
      returning settled.answer_id, m.created_at
    ), forgotten as (${deleteToolCalls(sql`select conversation_id from ends`)}
    ), finished as (${endClaims(sql`(select ${value('messageIds')}::uuid[])::uuid[]`)}), costs as (
      select team_id, sum(credits)::int as credits from ends where credits > 0 group by team_id
    ), charged as (${chargeCosts(sql`costs`, value('month'))}), counted as (${addToBotDays})
    select finished.id, finished.due, ends.credits = 0 or exists (
             select from charged where charged.team_id = ends.team_id) as charged
    from finished join ends on ends.conversation_id = finished.id`,
);

/**
 * Call it late, because all answers of a team wait for the row of its credits. Returns the conversations that are due again,
 * or null if a team has insufficient credits; the caller then rolls back. `month` is its first day.
 */
export async function completeAnswers(
  tx: Transaction,
  answers: readonly CompletedAnswer[],
  month: string,
): Promise<Set<string> | null> {
  const messages = answers.flatMap(({ answer, messages }) =>
    messages.map((message) => ({ ...message, answerId: answer.id })),
  );
  const rows = await completed(tx, {
    ids: answers.map(({ answer }) => answer.id),
    conversationIds: answers.map(({ claim }) => claim.conversationId),
    fences: answers.map(({ claim }) => claim.fence),
    teamIds: answers.map(({ claim }) => claim.teamId),
    deviceIds: answers.map(({ claim }) => claim.deviceId),
    contactNumbers: answers.map(({ claim }) => claim.contactNumber),
    botIds: answers.map(({ answer }) => answer.botId),
    versions: answers.map(({ answer }) => answer.version),
    answered: answers.map(({ answer }) => answer.answered),
    credits: answers.map(({ answer }) => answer.credits),
    traces: answers.map(({ answer: { trace, count } }) =>
      JSON.stringify(count === null ? trace : { ...trace, count }),
    ),
    flags: answers.map(({ end }) => end.flag),
    pauses: answers.map(({ end }) => end.pauseMinutes),
    days: answers.map(({ answer: { count } }) => count?.day ?? null),
    outcomes: answers.map(({ answer: { count } }) => count?.outcome ?? null),
    topics: answers.map(({ answer: { count } }) => count?.topic ?? null),
    languages: answers.map(({ answer: { count } }) => count?.language ?? null),
    costs: answers.map(({ answer }) => answer.cost),
    messageIds: messages.map(({ id }) => id),
    messageOutcomes: messages.map(({ unreadable }) => (unreadable === null ? null : toFailure(unreadable))),
    answerIds: messages.map(({ answerId }) => answerId),
    month,
  });
  if (rows.some(({ charged }) => !charged)) return null;
  return new Set(rows.filter(({ due }) => due).map(({ id }) => id));
}

const toFailure = ({ outcome, kind }: Pick<Unreadable, 'outcome' | 'kind'>): string =>
  kind === undefined ? outcome : `${outcome}:${kind}`;
