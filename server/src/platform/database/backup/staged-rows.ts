import type pg from 'pg';
import { RestoreRefused } from './archive-file.ts';
import type { TeamTable } from './team-rows.ts';

/** The rows of an archive in a temporary table, before any of them is in a table of Parley. */
export interface StagedTable {
  table: TeamTable;
  /** The temporary table. */
  staged: string;
  columns: readonly { name: string; type: string }[];
}

/** Names of tables are keys of `identities`, whose values are the columns of their ids. */
export interface References {
  identities: Readonly<Record<string, string>>;
  /** The tables that a column of this name can refer to. */
  columns: Readonly<Record<string, readonly string[]>>;
  /** The tables that a text in a JSON value can refer to. */
  inJson: readonly string[];
}

/**
 * Throws `RestoreRefused` if a value would break reads of Parley that concern several teams: lists, totals and jobs. JavaScript has no
 * time for infinity, and its integers end at 2^53.
 */
export async function checkValues(client: pg.ClientBase, { table, staged, columns }: StagedTable) {
  const checks = columns.flatMap(({ name, type }) => {
    const isAllowed = allowedValues[type]?.(name);
    return isAllowed === undefined ? [] : [{ name, isAllowed }];
  });
  if (checks.length === 0) return;
  const { rows } = await client.query<Record<string, boolean>>(
    `select ${checks.map(({ isAllowed }, at) => `bool_and(${isAllowed}) as c${at}`).join(', ')} from ${staged}`,
  );
  const refused = checks.find((_, at) => rows[0]?.[`c${at}`] === false);
  if (refused !== undefined)
    throw new RestoreRefused(`${table.name}.${refused.name} of the export holds a value out of range`);
}

const isCount = (column: string): string => `${column} between 0 and 4503599627370496`;
const isTime = (column: string): string => `${column} between '1900-01-01' and '9999-12-31'`;
const isAmount = (column: string): string => `${column} between -1e15 and 1e15`;

const allowedValues: Readonly<Record<string, (column: string) => string>> = {
  int4: isCount,
  int8: isCount,
  float8: isAmount,
  numeric: isAmount,
  date: isTime,
  timestamptz: isTime,
  jsonb: (column) => `not jsonb_path_exists(${column}, '$.**{64 to last}')`,
};

/**
 * Throws `RestoreRefused` if staged rows name an object of this deployment, or if rows of this deployment name a staged object: the
 * archive's team is new here, so that neither can be its own.
 */
export async function checkReferences(
  client: pg.ClientBase,
  all: readonly StagedTable[],
  { identities, columns: references, inJson }: References,
): Promise<void> {
  const known = inJson.map((table) => `select ${identities[table]}::text from ${table}`).join(' union all ');
  for (const { table, staged, columns } of all) {
    for (const { name, type } of columns) {
      const refuse = (of: string) =>
        new RestoreRefused(`${table.name}.${name} of the export refers to another team (${of})`);
      for (const target of references[name] ?? []) {
        const id = identities[target];
        const stagedTarget = all.find((other) => other.table.name === target);
        const idType = stagedTarget?.columns.find((column) => column.name === id)?.type;
        const compare = type === idType ? `t.${id} = r.${name}` : `t.${id}::text = r.${name}::text`;
        if (idType === 'uuid' && type === 'text' && (await exists(client, staged, isNoUuid(name))))
          throw new RestoreRefused(`${table.name}.${name} of the export holds a value that is no id`);
        if (await exists(client, `${staged} r join ${target} t on ${compare}`)) throw refuse(target);
        if (stagedTarget !== undefined) {
          const here = `${table.name} r join ${stagedTarget.staged} t on ${compare}`;
          if (await exists(client, here)) throw refuse(target);
        }
      }
      if (type !== 'jsonb') continue;
      const texts = `${staged}, jsonb_path_query(${name}, '$.** ? (@.type() == "string")') as found`;
      if (await exists(client, texts, `found #>> '{}' in (${known})`)) throw refuse('in JSON');
    }
  }
}

const isNoUuid = (column: string): string => `${column} !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'`;

/** Throws `RestoreRefused` if a staged row is not one of the team's. `condition` may read rows that were inserted before. */
export async function checkOwner(
  client: pg.ClientBase,
  { table, staged }: StagedTable,
  condition: string,
): Promise<void> {
  if (await exists(client, staged, `(${condition}) is not true`))
    throw new RestoreRefused(`${table.name} of the export has rows of another team`);
}

async function exists(client: pg.ClientBase, from: string, condition = 'true'): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    `select exists (select from ${from} where ${condition}) as found`,
  );
  return rows[0]?.found === true;
}
