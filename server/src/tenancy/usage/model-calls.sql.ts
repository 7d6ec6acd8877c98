import { sql } from 'kysely';
import { deleteRowsOfTeam, type Expired } from '../../platform/database/bulk-rows.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { prepare } from '../../platform/database/prepare.ts';
import type { ModelUsage } from '../../ports/language-model/language-model.ts';
import { joinTeam } from '../teams/teams.sql.ts';

export type ModelCallPurpose = 'answer' | 'question' | 'rewrite';

export interface ModelCallRow {
  teamId: string;
  purpose: ModelCallPurpose;
  answerId: string | null;
  provider: string;
  model: string;
  tokens: ModelUsage;
  cost: number | null;
}

type Column = 'teamIds' | 'purposes' | 'answerIds' | 'providers' | 'models' | keyof ModelUsage | 'costs';

type Values = Record<Column, readonly (string | number | null)[]> & { month: string };

/** The sum of the known values; null if none is known. */
const added = (name: string) => {
  const [total, more] = [sql.ref(`u.${name}`), sql.ref(`excluded.${name}`)];
  return sql`${sql.ref(name)} = coalesce(${total} + ${more}, ${total}, ${more})`;
};

const inserted = prepare<Values, never>(
  (value) => sql`
    with made as materialized (
      select * from unnest((select ${value('teamIds')}::uuid[]), (select ${value('purposes')}::text[]),
          (select ${value('answerIds')}::uuid[]), (select ${value('providers')}::text[]), (select ${value('models')}::text[]),
          (select ${value('input')}::int[]), (select ${value('cached')}::int[]), (select ${value('output')}::int[]),
          (select ${value('reasoning')}::int[]), (select ${value('costs')}::numeric(24, 12)[]))
        as call (team_id, purpose, answer_id, provider, model, input_tokens, cached_tokens, output_tokens,
                 reasoning_tokens, cost)
    ), team as materialized (
      select t.id from (select distinct team_id from made) payer ${joinTeam('payer.team_id')} order by t.id for key share of t
    ), stored as (
      insert into model_calls (team_id, purpose, answer_id, provider, model, input_tokens, cached_tokens, output_tokens,
                               reasoning_tokens, cost)
      select made.* from made join team on team.id = made.team_id
    )
    insert into monthly_model_usage as u (team_id, month, provider, model, calls, calls_without_tokens, calls_without_cost,
                                          input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost)
    select made.team_id, ${value('month')}::date, made.provider, made.model, count(*),
           count(*) filter (where input_tokens is null or output_tokens is null), count(*) filter (where cost is null),
           sum(input_tokens), sum(cached_tokens), sum(output_tokens), sum(reasoning_tokens), sum(cost)
    from made join team on team.id = made.team_id
    group by made.team_id, made.provider, made.model
    order by made.team_id, made.provider, made.model
    on conflict (team_id, month, provider, model) do update set
      calls = u.calls + excluded.calls, calls_without_tokens = u.calls_without_tokens + excluded.calls_without_tokens,
      calls_without_cost = u.calls_without_cost + excluded.calls_without_cost,
      ${sql.join(['input_tokens', 'cached_tokens', 'output_tokens', 'reasoning_tokens', 'cost'].map(added))}`,
);

export async function insertModelCalls(
  db: Database | Transaction,
  calls: readonly ModelCallRow[],
  month: string,
): Promise<void> {
  await inserted(db, {
    teamIds: calls.map(({ teamId }) => teamId),
    purposes: calls.map(({ purpose }) => purpose),
    answerIds: calls.map(({ answerId }) => answerId),
    providers: calls.map(({ provider }) => provider),
    models: calls.map(({ model }) => model),
    input: calls.map(({ tokens }) => tokens.input),
    cached: calls.map(({ tokens }) => tokens.cached),
    output: calls.map(({ tokens }) => tokens.output),
    reasoning: calls.map(({ tokens }) => tokens.reasoning),
    costs: calls.map(({ cost }) => cost),
    month,
  });
}

export const deleteModelCallsOfTeam = deleteRowsOfTeam('model_calls');

export async function deleteExpiredModelCalls(db: Database, expired: Expired): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from model_calls where id = any(array(
      select id from model_calls where team_id = ${expired.teamId} and created_at < ${expired.before}
      limit ${expired.limit} for update skip locked))`.execute(db);
  return Number(numAffectedRows);
}
