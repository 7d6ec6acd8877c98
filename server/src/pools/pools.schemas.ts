import { type Static, Type } from 'typebox';
import { Id, Timestamp } from '../http/fields.ts';
import { pageQuery } from '../http/pagination.ts';

export const PoolRecord = Type.Object(
  {
    id: Id(),
    url: Type.String({ description: 'Of its internal interface.' }),
    capacity: Type.Integer({ minimum: 0 }),
    devices: Type.Integer({ minimum: 0, description: 'Placed here, stopped ones among them.' }),
    connected: Type.Integer({ minimum: 0, description: 'Devices with a connection to the network.' }),
    alive: Type.Boolean({ description: 'Its lease holds. Devices of a dead one are taken over by others.' }),
    draining: Type.Boolean({ description: 'It takes no devices and hands over those it has.' }),
    lease_age_seconds: Type.Number({ minimum: 0, description: 'Since the lease was last renewed.' }),
    lease_remaining_seconds: Type.Number({ minimum: 0 }),
    started_at: Timestamp(),
  },
  { title: 'Pool' },
);
export type PoolRecord = Static<typeof PoolRecord>;

export const ListPools = Type.Object(pageQuery, { additionalProperties: false });
