import { Type } from 'typebox';
import type { Database } from '../database/database.ts';
import type { Routes } from '../http/fastify-app.ts';
import { timestamp } from '../http/fields.ts';
import { operation, successWithMeta } from '../http/operation.ts';
import { PageMeta, pageMeta } from '../http/pagination.ts';
import { type PoolRow, selectPools } from '../pool/pools.sql.ts';
import { ListPools, PoolRecord } from './pools.schemas.ts';

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
  };

const presentPool = (row: PoolRow): PoolRecord => ({
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
