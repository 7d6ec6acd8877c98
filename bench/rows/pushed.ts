import pg from 'pg';
import { createInbox } from '../../server/src/devices/inbox.ts';
import { connectDatabase } from '../../server/src/platform/database/database.ts';
import { createDatabase } from '../rig/list-database.ts';
import { median } from '../rig/median.ts';
import type { Rig } from '../rig/rig.ts';
import { seed } from '../rig/seed.ts';
import type { FigureRow } from './row.ts';

/** Pushes that wait for their commit at the same time, and connections of both sides. */
const [pushes, connections] = [256, 16];

const payload = {
  type: 'message',
  id: 'message-1',
  sentAt: '2026-11-20T06:00:00.000Z',
  text: 'Do you rent tandems?',
  file: null,
};
const silent = { warn: () => undefined, debug: () => undefined, error: () => undefined };

/** Compares the inbox of pushed messages with a table that has one index, into which each message is inserted alone. */
export const pushed: FigureRow = {
  name: 'pushed',
  work: 'storing pushed messages before the response, beside one insert for each',
  async measure(rig: Rig) {
    await using ends = new AsyncDisposableStack();
    const url = await createDatabase(rig, 'pushed_messages');
    const deviceIds = await seed(url);
    const { db, close } = connectDatabase({
      url,
      poolSize: connections,
      applicationName: 'bench',
      logger: silent,
    });
    ends.defer(close);
    const bare = new pg.Pool({ connectionString: url, max: connections });
    ends.defer(() => bare.end());
    await bare.query(
      'create table bare (id bigint generated always as identity primary key, device_id uuid, event_key text, payload jsonb)',
    );
    const { rows } = await bare.query<{ team_id: string }>('select team_id from devices limit 1');
    const teamId = rows[0]?.team_id ?? '';
    const push = createInbox({ db, notifications: { publish: () => undefined }, logger: silent });
    let last = 0;
    const deviceOf = (n: number) => deviceIds[n % deviceIds.length] ?? '';
    const sides = {
      inbox: (n: number) =>
        push({
          deviceId: deviceOf(n),
          teamId,
          key: `message-${n}`,
          contact: `web:v-${n % 5000}`,
          payload,
          bytes: null,
        }),
      bare: (n: number) =>
        bare.query({
          name: 'bare',
          text: 'insert into bare (device_id, event_key, payload) values ($1, $2, $3)',
          values: [deviceOf(n), `message-${n}`, payload],
        }),
    };
    const { pairs, secondsEach, warmUpSeconds } = rig.effort;
    const next = (side: (n: number) => Promise<unknown>) => () => {
      last += 1;
      return side(last);
    };
    const rates: number[] = [];
    const ratios: number[] = [];
    for (const side of [sides.inbox, sides.bare]) await perSecond(next(side), warmUpSeconds);
    for (let pair = 0; pair < pairs; pair++) {
      const rate = await perSecond(next(sides.inbox), secondsEach);
      rates.push(rate);
      ratios.push(rate / (await perSecond(next(sides.bare), secondsEach)));
    }
    return [
      { figure: 'relative to one insert each', value: median(ratios), unit: 'x', goal: { atLeast: 0.8 } },
      {
        figure: 'messages per second',
        value: Math.round(median(rates)),
        unit: '/s',
        goal: { atLeast: 2000 },
      },
    ];
  },
};

async function perSecond(store: () => Promise<unknown>, seconds: number): Promise<number> {
  const endsAt = performance.now() + seconds * 1000;
  let stored = 0;
  const work = async () => {
    while (performance.now() < endsAt) {
      await store();
      stored += 1;
    }
  };
  await Promise.all(Array.from({ length: pushes }, work));
  return stored / Math.max(seconds, 0.001);
}
