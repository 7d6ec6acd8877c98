import { Type } from 'typebox';
import type { Database } from '../database/database.ts';
import type { Routes } from '../http/app.ts';
import { timestamp } from '../http/fields.ts';
import { operation, success } from '../http/operation.ts';
import { type PoolRow, selectPools } from './pools.queries.ts';
import { PoolRecord } from './pools.schemas.ts';

/** What hosts the devices, for who operates the deployment. */
export const poolRoutes =
  ({ db }: { db: Database }): Routes =>
  (app) => {
    app.get(
      '/api/openapi/v1/pools',
      operation({
        id: 'listPools',
        summary: 'List all pools, oldest first: their places, devices and leases',
        tag: 'Pools',
        access: 'all',
        data: Type.Array(PoolRecord),
        extension: true,
      }),
      async () => success((await selectPools(db)).map(presentPool)),
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
