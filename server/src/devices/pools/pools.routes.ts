import { Type } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import { notFound } from '../../platform/http/errors.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { timestamp } from '../../platform/http/fields.ts';
import { operation, success, successWithMeta } from '../../platform/http/operation.ts';
import { PageMeta, pageMeta } from '../../platform/http/pagination.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import { recordAudit } from '../../records/audit/audit.sql.ts';
import { ListPools, PoolRecord } from './pools.schemas.ts';
import { type PoolRow, selectPools, startDraining } from './pools.sql.ts';

export const poolRoutes =
  ({ db }: { db: Database }): Routes =>
  (app) => {
    app.get(
      '/api/openapi/v1/pools',
      operation({
        id: 'listPools',
        summary: 'List pools, newest first: their places, devices and leases',
        description: 'Shows which processes hold devices, and how much room they have.',
        tag: 'Pools',
        access: 'globalKey',
        query: ListPools,
        data: Type.Array(PoolRecord),
        meta: PageMeta,
        extension: true,
      }),
      async (request) => {
        const { rows, total } = await selectPools(db, request.query);
        return successWithMeta(rows.map(presentPool), pageMeta(request.query, total));
      },
    );

    app.post(
      '/api/openapi/v1/pools/:id/drain',
      operation({
        id: 'drainPool',
        summary: 'Empty a pool, which keeps running',
        description:
          'It accepts no more devices, and each of its devices moves as soon as another pool has room. List the pools for the progress. To cancel, restart the pool.',
        tag: 'Pools',
        access: 'globalKey',
        resource: 'pool',
        data: PoolRecord,
        extension: true,
      }),
      async (request) =>
        db.transaction().execute(async (tx) => {
          const id = pathParameter(request);
          const row = await startDraining(tx, id);
          if (row === undefined) throw notFound('pool');
          await recordAudit(tx, {
            objectType: 'pool',
            objectId: id,
            teamId: null,
            after: { draining: true },
          });
          return success(presentPool(row));
        }),
    );
  };

export const presentPool = (row: PoolRow): PoolRecord => ({
  id: row.id,
  url: row.url,
  capacity: row.capacity,
  devices: row.devices,
  connected: row.connected,
  alive: row.alive,
  draining: row.draining,
  lease_age_seconds: inTenths(row.lease_age_seconds),
  lease_remaining_seconds: inTenths(row.lease_remaining_seconds),
  started_at: timestamp(row.started_at),
});

const inTenths = (seconds: number): number => Math.round(seconds * 10) / 10;
