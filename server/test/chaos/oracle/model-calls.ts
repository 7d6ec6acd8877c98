import type { ChaosDatabase } from '../database.ts';

/** Every answer of the model has its calls, each counted once in its month. */
export async function checkModelCalls(database: Pick<ChaosDatabase, 'query'>): Promise<string[]> {
  const [answers] = await database.query<{ without_calls: number }>(`
    select count(*)::int as without_calls from answers a
    where not exists (select from model_calls c where c.answer_id = a.id)`);
  const teams = await database.query<{ team_id: string; calls: number; counted: number }>(`
    select coalesce(c.team_id, m.team_id) as team_id, coalesce(c.calls, 0) as calls, coalesce(m.calls, 0) as counted
    from (select team_id, count(*)::int as calls from model_calls group by 1) c
    full join (select team_id, sum(calls)::int as calls from monthly_model_usage group by 1) m on m.team_id = c.team_id
    where c.calls is distinct from m.calls`);
  return [
    ...(answers?.without_calls === 0 ? [] : [`${answers?.without_calls} answers have no calls of the model`]),
    ...teams.map(
      ({ team_id, calls, counted }) =>
        `team ${team_id} made ${calls} calls of the model, ${counted} are counted`,
    ),
  ];
}
