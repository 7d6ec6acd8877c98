import { type QueryExecutorProvider as Db, sql } from 'kysely';
import { onlyRow } from '../../search/tagged-objects.sql.ts';
import type { AssistantSpec } from '../assistant-provider.ts';

interface NewRevision {
  assistantRef: string;
  revision: string;
  operation: string;
  contentHash: string;
  spec: AssistantSpec;
  createdAt: Date;
}

/** Inserts a revision, or returns the existing one with the same operation and content. */
export async function insertRevision(db: Db, revision: NewRevision): Promise<string> {
  const result = await sql<{ revision: string }>`
    insert into embedded_provider.revisions
      (assistant_ref, revision, operation, content_hash, spec, created_at)
    values (${revision.assistantRef}, ${revision.revision}, ${revision.operation}, ${revision.contentHash},
      ${JSON.stringify(revision.spec)}, ${revision.createdAt})
    on conflict (assistant_ref, operation, content_hash) do update set operation = excluded.operation
    returning revision`.execute(db);
  return onlyRow(result.rows).revision;
}

export async function findRevision(
  db: Db,
  installationId: string,
  ref: string,
  revision: string,
): Promise<{ spec: AssistantSpec; teamId: string } | null> {
  const result = await sql<{ spec: AssistantSpec; teamId: string }>`
    select r.spec, a.team_id as "teamId"
    from embedded_provider.revisions r
    join embedded_provider.assistants a on a.ref = r.assistant_ref
    where a.ref = ${ref} and a.installation_id = ${installationId} and r.revision = ${revision}`.execute(db);
  return result.rows[0] ?? null;
}
