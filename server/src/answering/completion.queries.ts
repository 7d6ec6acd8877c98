import { sql } from 'kysely';
import { type Claim, type ClaimEnd, endClaims } from '../conversations/claims.sql.ts';
import type { Transaction } from '../database/database.ts';
import { prepare } from '../database/prepare.ts';
import { chargeCosts } from '../usage/usage.sql.ts';

interface AnswerRow {
  id: string;
  botId: string;
  version: number;
  answered: boolean;
  credits: number;
  trace: object;
}

/** `messages` have the transcripts of voice notes. */
export interface CompletedAnswer {
  claim: Claim;
  answer: AnswerRow;
  messages: readonly { id: string; text: string }[];
  end: Omit<ClaimEnd, 'staysIdle'>;
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
  messageIds: readonly string[];
  messageTexts: readonly string[];
  answerIds: readonly string[];
  month: string;
}

const completed = prepare<AnswerColumns, { id: string; due: boolean; charged: boolean }>(
  (value) => sql`
    with ends as materialized (
      select *, false as rests
      from unnest(${value('ids')}::uuid[], ${value('conversationIds')}::uuid[], ${value('fences')}::bigint[],
                  ${value('teamIds')}::uuid[], ${value('deviceIds')}::uuid[], ${value('contactNumbers')}::text[],
                  ${value('botIds')}::uuid[], ${value('versions')}::int[], ${value('answered')}::boolean[],
                  ${value('credits')}::int[], ${value('traces')}::jsonb[], ${value('flags')}::text[],
                  ${value('pauses')}::int[])
             as answer (id, conversation_id, fence, team_id, device_id, contact_number, bot_id, version, answered,
                        credits, trace, flag, pause_minutes)
    ), answer as (
      insert into answers (id, team_id, bot_id, version, device_id, contact_number, answered, credits, trace)
      select id, team_id, bot_id, version, device_id, contact_number, answered, credits, trace from ends
    ), settled as (
      update messages m set status = 'answered', answer_id = heard.answer_id, text = heard.text
      from unnest(${value('messageIds')}::uuid[], ${value('messageTexts')}::text[], ${value('answerIds')}::uuid[])
             as heard (id, text, answer_id)
      where m.id = heard.id and m.status = 'received'
    ), finished as (${endClaims(sql`${value('messageIds')}::uuid[]`)}), costs as (
      select team_id, sum(credits)::int as credits from ends where credits > 0 group by team_id
    ), charged as (${chargeCosts(sql`costs`, value('month'))})
    select finished.id, finished.due, ends.credits = 0 or exists (
             select from charged where charged.team_id = ends.team_id) as charged
    from finished join ends on ends.conversation_id = finished.id`,
);

/**
 * Call it last, because all answers of a team wait for the row of its credits. Returns the conversations that are due again,
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
    traces: answers.map(({ answer }) => JSON.stringify(answer.trace)),
    flags: answers.map(({ end }) => end.flag),
    pauses: answers.map(({ end }) => end.pauseMinutes),
    messageIds: messages.map(({ id }) => id),
    messageTexts: messages.map(({ text }) => text),
    answerIds: messages.map(({ answerId }) => answerId),
    month,
  });
  if (rows.some(({ charged }) => !charged)) return null;
  return new Set(rows.filter(({ due }) => due).map(({ id }) => id));
}
