import type { SharedStatement } from './shared-statements.ts';
import { findTableReferences } from './sql-tables.ts';

/**
 * The tables of each room. A schema stands for all of its tables. The tables of the hosting of devices have two owners: the role writes
 * leases and sessions (pool/), requests read and end them (devices/).
 */
export const ownedTables: Readonly<Record<string, readonly string[]>> = {
  chat: [
    'answers',
    'contact_addresses',
    'contact_merges',
    'conversations',
    'message_media',
    'messages',
    'tool_calls',
  ],
  devices: ['device_links', 'device_sessions', 'devices', 'pools'],
  knowledge: [
    'bot_actions',
    'bot_documents',
    'bot_version_documents',
    'bot_versions',
    'bots',
    'document_counts',
    'document_totals',
    'documents',
    'embedded_provider.assistants',
    'embedded_provider.documents',
    'embedded_provider.knowledge_stores',
    'embedded_provider.passage_vectors',
    'embedded_provider.passages',
    'embedded_provider.postings',
    'embedded_provider.revisions',
    'knowledge_moves',
    'openai_attachments',
    'openai_objects',
  ],
  pool: ['device_sessions', 'pools'],
  platform: [
    'encryption_keys',
    'graphile_worker',
    'idempotency_keys',
    'installation',
    'job_runners',
    'request_rates',
  ],
  records: ['audit_log', 'event_log', 'events', 'tombstones', 'webhook_deliveries', 'webhooks'],
  tenancy: [
    'api_keys',
    'model_calls',
    'monthly_model_usage',
    'monthly_usage',
    'plans',
    'team_counts',
    'team_usage',
    'teams',
    'users',
  ],
};

const root = 'server/src/';
const schemaFile = `${root}platform/database/schema.generated.ts`;
const isProduct = (path: string) =>
  path.startsWith(root) && !/\.(test|contract)\.ts$/.test(path) && path !== schemaFile;

/** Returns one line for each use of another room's table, for each table without an owner and for each stale exception. */
export function findForeignSql(
  sources: ReadonlyMap<string, string>,
  exceptions: readonly SharedStatement[],
): string[] {
  const owners = new Map<string, string[]>();
  for (const [room, tables] of Object.entries(ownedTables)) {
    for (const table of tables) owners.set(table, [...(owners.get(table) ?? []), room]);
  }
  const unused = new Set(
    exceptions.flatMap(({ file, declaration, tables }) =>
      tables.map((table) => use({ file, declaration, table })),
    ),
  );
  const allowed = new Set(unused);
  const foreign = new Set<string>();
  for (const [path, source] of sources) {
    if (!isProduct(path)) continue;
    const file = path.slice(root.length);
    for (const { table: name, declaration } of findTableReferences(source)) {
      const table = owners.has(name) ? name : name.split('.')[0];
      const rooms = owners.get(table ?? '');
      if (table === undefined || rooms === undefined || rooms.includes(file.split('/')[0] ?? '')) continue;
      const found = use({ file, declaration, table });
      unused.delete(found);
      if (!allowed.has(found)) {
        foreign.add(
          `${path}: ${declaration} names the table ${table} of ${rooms.join('/ and ')}/: use what its *.sql.ts files export`,
        );
      }
    }
  }
  const stale = [...unused].map(
    (entry) => `scripts/check/shared-statements.ts: nothing matches "${entry}": remove it from the list`,
  );
  return [...ownerless(sources.get(schemaFile), owners), ...foreign, ...stale];
}

const use = ({ file, declaration, table }: { file: string; declaration: string; table: string }): string =>
  `${file} ${declaration} ${table}`;

function ownerless(schema: string | undefined, owners: ReadonlyMap<string, unknown>): string[] {
  const members = /^export interface DB \{\n(?<members>[\s\S]*?)^\}/m.exec(schema ?? '')?.groups?.['members'];
  const tables = [...(members ?? '').matchAll(/^ {2}(?<table>\w+):/gm)].map(
    ({ groups }) => groups?.['table'] ?? '',
  );
  return tables
    .filter((table) => !owners.has(table))
    .map((table) => `the table ${table} has no owner: add it to scripts/check/table-ownership.ts`);
}
