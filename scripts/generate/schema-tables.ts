import pg from 'pg';
import { tables } from '../check/tables.ts';

export const tablesFolder = 'server/schema/tables';

interface Column {
  name: string;
  type: string;
  isRequired: boolean;
  /** Expression of the default or of the generated column. */
  value: string | null;
  generated: string;
  identity: string;
}

interface TableRow {
  name: string;
  isUnlogged: boolean;
  options: string[] | null;
  columns: Column[];
  constraints: { name: string; definition: string }[];
  indexes: string[];
  triggers: { name: string; definition: string }[];
}

/** Returns a file of SQL for each table of the migrated database at `databaseUrl`, by its name: the table as it is today. */
export async function describeTables(databaseUrl: string): Promise<Map<string, string>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<TableRow>(selectTables);
    return new Map(rows.map((row) => [`${row.name}.sql`, describeTable(row)]));
  } finally {
    await client.end();
  }
}

const selectTables = `
  select replace(c.oid::regclass::text, '"', '') as name, c.relpersistence = 'u' as "isUnlogged", c.reloptions as options,
    (select json_agg(json_build_object(
        'name', quote_ident(a.attname), 'type', format_type(a.atttypid, a.atttypmod), 'isRequired', a.attnotnull,
        'value', pg_get_expr(d.adbin, d.adrelid), 'generated', a.attgenerated, 'identity', a.attidentity) order by a.attnum)
     from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    coalesce((select json_agg(json_build_object('name', conname, 'definition', pg_get_constraintdef(oid, true))
        order by array_position('{p,u,f,c}', contype), conname)
     from pg_constraint where conrelid = c.oid and contype in ('p', 'u', 'f', 'c')), '[]') as constraints,
    coalesce((select json_agg(pg_get_indexdef(indexrelid) order by indexrelid::regclass::text)
     from pg_index where indrelid = c.oid
       and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))), '[]') as indexes,
    coalesce((select json_agg(json_build_object('name', tgname, 'definition', pg_get_triggerdef(oid, true)) order by tgname)
     from pg_trigger where tgrelid = c.oid and not tgisinternal), '[]') as triggers
  from pg_class c
  where c.relkind = 'r' and c.relnamespace::regnamespace::text in ('public', 'embedded_provider')
  order by 1`;

function describeTable({
  name,
  isUnlogged,
  options,
  columns,
  constraints,
  indexes,
  triggers,
}: TableRow): string {
  const table = tables.get(name);
  const header = `-- ${table?.rooms.join(', ') ?? 'no room'}: ${table?.purpose ?? ''}`;
  const members = [
    ...columns.map(describeColumn),
    ...constraints.map((constraint) => `constraint ${constraint.name} ${constraint.definition}`),
  ].map((member) => `  ${member}`);
  const storage = options === null ? '' : ` with (${options.join(', ')})`;
  return [
    header,
    `create ${isUnlogged ? 'unlogged ' : ''}table ${name} (`,
    members.join(',\n'),
    `)${storage};`,
    ...(indexes.length === 0 ? [] : ['', ...indexes.map(describeIndex)]),
    ...(triggers.length === 0 ? [] : ['', ...triggers.map(describeTrigger)]),
    '',
  ].join('\n');
}

function describeColumn({ name, type, isRequired, value, generated, identity }: Column): string {
  const parts = [name, type];
  if (isRequired) parts.push('not null');
  if (identity !== '') parts.push(`generated ${identity === 'a' ? 'always' : 'by default'} as identity`);
  if (generated !== '') parts.push(`generated always as (${value})${generated === 's' ? ' stored' : ''}`);
  else if (value !== null) parts.push(`default ${value}`);
  return parts.join(' ');
}

const describeIndex = (definition: string): string =>
  `${definition.replace(/^CREATE (UNIQUE )?INDEX/, (words) => words.toLowerCase()).replace(' USING btree', '')};`;

/** `-- after insert, update of state: record_document_event (documents_record_changed)`: the function's file has the rest. */
function describeTrigger({ name, definition }: { name: string; definition: string }): string {
  const when = /^CREATE TRIGGER \S+ (?<when>.+?) ON /.exec(definition)?.groups?.['when'] ?? '';
  const call = /EXECUTE FUNCTION (?:public\.)?(?<function>\w+)/.exec(definition)?.groups?.['function'] ?? '';
  return `-- trigger ${name}: ${when.toLowerCase().replaceAll(' or ', ', ')}, ../functions/${call}.sql`;
}
