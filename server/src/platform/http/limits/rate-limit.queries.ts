import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';

export interface Draw {
  granted: boolean;
  drawn: number;
  freesInMs: number;
}

/** Draws a block of requests unless `maxDraws` were drawn in the last minute of the database's clock. */
export async function drawBlock(db: Database, keyId: string, maxDraws: number): Promise<Draw> {
  const { rows } = await sql<{ drawn: number; frees_in_ms: number }>`
    insert into request_rates as rate (api_key_id, drawn_at) values (${keyId}, array[now()])
    on conflict (api_key_id) do update
      set drawn_at = (select array_agg(at order by at) from unnest(rate.drawn_at || excluded.drawn_at) at
                      where at > now() - interval '1 minute')
      where (select count(*) from unnest(rate.drawn_at) at where at > now() - interval '1 minute') < ${maxDraws}
    returning cardinality(drawn_at) as drawn,
              (extract(epoch from drawn_at[1] + interval '1 minute' - now()) * 1000)::float8 as frees_in_ms
  `.execute(db);
  const [granted] = rows;
  if (granted !== undefined) {
    return { granted: true, drawn: granted.drawn, freesInMs: granted.frees_in_ms };
  }
  return { granted: false, drawn: maxDraws, freesInMs: await untilOldestLeaves(db, keyId) };
}

async function untilOldestLeaves(db: Database, keyId: string): Promise<number> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from min(at) + interval '1 minute' - now()) * 1000)::float8 as ms
    from request_rates, unnest(drawn_at) at
    where api_key_id = ${keyId} and at > now() - interval '1 minute'
  `.execute(db);
  return rows[0]?.ms ?? 0;
}

/** Rows of keys and people that have made no request for an hour. */
export async function deleteOldRates(db: Database): Promise<void> {
  await sql`
    delete from request_rates where drawn_at[cardinality(drawn_at)] < now() - interval '1 hour'`.execute(db);
}
