import { Type } from 'typebox';
import type { ReadList } from '../../platform/database/read-list.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { timestamp } from '../../platform/http/fields.ts';
import { operation, successWithMeta } from '../../platform/http/operation.ts';
import { PageMeta, pageMeta } from '../../platform/http/pagination.ts';
import { type AuditRow, selectAuditLog } from './audit.queries.ts';
import { AuditEntry, ListAuditLog } from './audit.schemas.ts';

export const auditRoutes =
  ({ readList }: { readList: ReadList }): Routes =>
  (app) => {
    app.get(
      '/api/openapi/v1/audit-log',
      operation({
        id: 'listAuditLog',
        summary: 'List changes made over the API, newest first',
        description:
          'One row per changed object, written in the transaction of the change. Secrets are masked; texts and numbers of contacts appear only as keyed hashes.',
        tag: 'Audit log',
        access: 'anyKey',
        extension: true,
        query: ListAuditLog,
        data: Type.Array(AuditEntry),
        meta: PageMeta,
      }),
      async (request) => {
        const { rows, total } = await readList((db) =>
          selectAuditLog(db, requireActor(request).scope, request.query),
        );
        return successWithMeta(rows.map(presentEntry), pageMeta(request.query, total));
      },
    );
  };

const presentEntry = (row: AuditRow): AuditEntry => ({
  id: row.id,
  at: timestamp(row.at),
  ...presentCaller(row.key_id),
  user_name: row.user_name,
  request_id: row.request_id,
  address: row.address,
  operation: row.operation,
  object_type: row.object_type,
  object_id: row.object_id,
  team_id: row.team_id,
  before: row.before,
  after: row.after,
});

const presentCaller = (keyId: string | null) =>
  keyId?.startsWith('user:') === true
    ? { key_id: null, user_id: keyId.slice('user:'.length) }
    : { key_id: keyId, user_id: null };
