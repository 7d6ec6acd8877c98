import { dirname } from 'node:path';
import type { SharedStatement } from './shared-statements.ts';
import { findTableReferences } from './sql-tables.ts';

/** The tables of each folder of server/src. A schema stands for all of its tables. */
export const ownedTables: Readonly<Record<string, readonly string[]>> = {
  'adapters/assistant-provider/local': [
    'embedded_provider.assistants',
    'embedded_provider.revisions',
    'embedded_provider.knowledge_stores',
  ],
  'adapters/assistant-provider/openai-hosted': ['openai_objects', 'openai_attachments'],
  answering: ['answers'],
  'api-keys': ['api_keys'],
  audit: ['audit_log'],
  bots: ['bots', 'bot_actions', 'bot_documents', 'bot_versions', 'bot_version_documents', 'knowledge_moves'],
  conversations: ['conversations', 'contact_addresses', 'contact_merges', 'tool_calls'],
  database: ['installation'],
  devices: ['devices', 'device_links'],
  documents: ['documents', 'document_counts', 'document_totals'],
  events: ['events', 'event_log'],
  'external-deletions': ['tombstones'],
  'http/idempotency': ['idempotency_keys'],
  'http/limits': ['request_rates'],
  jobs: ['job_runners', 'graphile_worker'],
  'key-rotation': ['encryption_keys'],
  knowledge: [
    'embedded_provider.documents',
    'embedded_provider.passages',
    'embedded_provider.passage_vectors',
    'embedded_provider.postings',
  ],
  messages: ['messages', 'message_media'],
  plans: ['plans'],
  pool: ['pools', 'device_sessions'],
  teams: ['teams', 'users', 'team_counts'],
  usage: ['team_usage', 'monthly_usage', 'model_calls', 'monthly_model_usage'],
  webhooks: ['webhooks', 'webhook_deliveries'],
};

const root = 'server/src/';
const schemaFile = `${root}database/schema.generated.ts`;
const isProduct = (path: string) =>
  path.startsWith(root) && !/\.(test|contract)\.ts$/.test(path) && path !== schemaFile;

/** Returns one line for each use of another folder's table, for each table without an owner and for each stale exception. */
export function findForeignSql(
  sources: ReadonlyMap<string, string>,
  exceptions: readonly SharedStatement[],
): string[] {
  const owners = new Map(
    Object.entries(ownedTables).flatMap(([folder, tables]) => tables.map((table) => [table, folder])),
  );
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
      const owner = owners.get(table ?? '');
      if (table === undefined || owner === undefined || isWithin(file, owner)) continue;
      const found = use({ file, declaration, table });
      unused.delete(found);
      if (!allowed.has(found)) {
        foreign.add(
          `${path}: ${declaration} names the table ${table} of ${owner}/: use what ${owner}/*.sql.ts exports`,
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

const isWithin = (file: string, folder: string): boolean => `${dirname(file)}/`.startsWith(`${folder}/`);

function ownerless(schema: string | undefined, owners: ReadonlyMap<string, string>): string[] {
  const members = /^export interface DB \{\n(?<members>[\s\S]*?)^\}/m.exec(schema ?? '')?.groups?.['members'];
  const tables = [...(members ?? '').matchAll(/^ {2}(?<table>\w+):/gm)].map(
    ({ groups }) => groups?.['table'] ?? '',
  );
  return tables
    .filter((table) => !owners.has(table))
    .map((table) => `the table ${table} has no owner: add it to scripts/check/table-ownership.ts`);
}
