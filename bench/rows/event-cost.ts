import pg from 'pg';
import { openAnswering } from '../rig/answering-deployment.ts';
import { createDatabase } from '../rig/list-database.ts';
import { runLoad } from '../rig/load.ts';
import { defaultConnections as connections } from '../rig/measure.ts';
import { median } from '../rig/median.ts';
import { newDeployment, type ParleyProcess, startParley } from '../rig/parley-process.ts';
import type { Rig } from '../rig/rig.ts';
import { askRepeatedly, numberContacts } from './answers.ts';
import type { Figure, FigureRow } from './row.ts';
import { sendBodies } from './send.ts';

const teams = 50;

/** Without the triggers that record events, and with an audit log that drops its rows. */
const withoutRecords = `
  drop trigger messages_record_inserted on messages;
  drop trigger messages_record_status on messages;
  drop trigger monthly_usage_record_first on monthly_usage;
  drop trigger monthly_usage_record_rise on monthly_usage;
  create function drop_row() returns trigger language plpgsql as 'begin return null; end';
  create trigger dropped before insert on audit_log for each row execute function drop_row()`;

/** Drops the numbers over weeks instead of writing them. */
const withoutNumbers = `
  create function drop_numbers() returns trigger language plpgsql as 'begin return null; end';
  create trigger dropped before insert on bot_days for each row execute function drop_numbers()`;

/** Compares sends with and without events and audit rows, and answers with and without the numbers over weeks. */
export const eventCost: FigureRow = {
  name: 'event-cost',
  work: 'POST /send with events and audit rows, and answers with the numbers over weeks, relative to a schema without them',
  async measure(rig) {
    await using ends = new AsyncDisposableStack();
    const serve = async (name: string, reduce: string) => {
      const databaseUrl = await createDatabase(rig, name);
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      await client.query(reduce);
      await client.end();
      const deployment = newDeployment(databaseUrl);
      const server = await startParley({ ...rig, deployment, log: name, roles: 'api,pool,worker' });
      ends.defer(() => server.stop());
      const bodies = await sendBodies({ ...server, databaseUrl, deviceIds: [], key: deployment.key }, teams);
      return { server, bodies };
    };
    const complete = await serve('sends_recorded', 'select 1');
    const bare = await serve('sends_bare', withoutRecords);
    const { pairs, secondsEach, warmUpSeconds } = rig.effort;
    for (const side of warmUpSeconds > 0 ? [complete, bare] : [])
      await sentPerSecond(rig, side, warmUpSeconds);
    const ratios: number[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      const recorded = await sentPerSecond(rig, complete, secondsEach);
      ratios.push(recorded / (await sentPerSecond(rig, bare, secondsEach)));
    }
    return [
      { figure: 'relative to no records', value: median(ratios), unit: 'x', goal: { atLeast: 0.9 } },
      await compareAnswers(rig),
    ];
  },
};

async function compareAnswers(rig: Rig): Promise<Figure> {
  await using ends = new AsyncDisposableStack();
  const serve = async (name: string, reduce: string) => {
    const answering = await openAnswering(rig, name, { teams });
    ends.defer(() => answering.close());
    const client = new pg.Client({ connectionString: answering.databaseUrl });
    await client.connect();
    await client.query(reduce);
    await client.end();
    return { ...answering, contacts: numberContacts() };
  };
  const counted = await serve('answers_counted', 'select 1');
  const bare = await serve('answers_bare', withoutNumbers);
  const { pairs, secondsEach, warmUpSeconds } = rig.effort;
  for (const side of [counted, bare]) await askRepeatedly(side, Math.max(warmUpSeconds, 1));
  const ratios: number[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    const { perSecond } = await askRepeatedly(counted, secondsEach);
    ratios.push(perSecond / (await askRepeatedly(bare, secondsEach)).perSecond);
  }
  return {
    figure: 'answers relative to no numbers over weeks',
    value: median(ratios),
    unit: 'x',
    goal: { atLeast: 0.97 },
  };
}

async function sentPerSecond(
  { generator }: Pick<Rig, 'generator'>,
  { server, bodies }: { server: ParleyProcess; bodies: readonly string[] },
  seconds: number,
): Promise<number> {
  const result = await runLoad(generator, {
    method: 'POST',
    url: server.url,
    paths: ['/api/openapi/v1/send'],
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    bodies,
    connections,
    seconds,
  });
  return result.requests / result.seconds;
}
