import { type Static, Type } from 'typebox';
import { Id, Timestamp } from '../../platform/http/fields.ts';
import { pageQuery } from '../../platform/http/pagination.ts';

export const PoolRecord = Type.Object(
  {
    id: Id(),
    url: Type.String({ description: 'Address of the internal interface of the pool.' }),
    capacity: Type.Integer({ minimum: 0 }),
    devices: Type.Integer({
      minimum: 0,
      description: 'Number of devices on the pool, including stopped devices.',
    }),
    connected: Type.Integer({ minimum: 0, description: 'Number of devices connected to the network.' }),
    alive: Type.Boolean({
      description:
        'Whether the lease of the pool is valid. Other pools take over the devices of a dead pool.',
    }),
    draining: Type.Boolean({
      description: 'Whether the pool accepts no new devices and moves its devices to other pools.',
    }),
    lease_age_seconds: Type.Number({
      minimum: 0,
      description: 'Seconds since the last renewal of the lease.',
    }),
    lease_remaining_seconds: Type.Number({ minimum: 0 }),
    started_at: Timestamp(),
  },
  { title: 'Pool' },
);
export type PoolRecord = Static<typeof PoolRecord>;

export const ListPools = Type.Object(pageQuery, { additionalProperties: false });
