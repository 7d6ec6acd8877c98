import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { newPhone } from '../../../server/test/devices.ts';
import { eventually } from '../../../server/test/eventually.ts';
import { startRig } from './rig.ts';

const paceMs = 1000;
/** A timer may fire a millisecond early. */
const shortestPauseMs = paceMs / 2 - 2;

describe('a pool with a pace', { timeout: 120_000 }, async () => {
  const rig = await startRig();
  const { fake, context } = rig;
  await rig.startPool({ SEND_PACE_SECONDS: String(paceMs / 1000) });

  test('pauses between two messages of a device, keeps their order and does not delay other devices', async () => {
    const [phone, other] = [newPhone(), newPhone()];
    const [device, otherDevice] = [await rig.link(phone), await rig.link(other)];
    const send = async (from: string, n: number) => {
      const body = { device_id: from, destination_number: `+1555040${n}`, message: `message ${n}` };
      assert.equal((await rig.api('POST', '/send', { body })).status, 200);
    };
    await Promise.all([...[1, 2, 3, 4, 5].map((n) => send(device, n)), send(otherDevice, 6)]);
    const readSent = async (sender: string) =>
      (await fake.journal()).flatMap((entry) =>
        entry.type === 'sent' && entry.device === sender ? [entry] : [],
      );
    const sent = await eventually(async () => {
      const entries = await readSent(phone);
      assert.equal(entries.length, 5);
      return entries;
    });
    const { rows } = await sql<{ text: string }>`
      select text from messages where device_id = ${device} order by seq`.execute(context.db);
    assert.deepEqual(
      sent.map(({ text }) => text),
      rows.map(({ text }) => text),
    );
    const pauses = sent.slice(1).map(({ at }, index) => at - (sent[index]?.at ?? 0));
    for (const pause of pauses) assert.ok(pause >= shortestPauseMs, `${pauses.map(Math.round)}`);
    const [ofOther] = await readSent(other);
    assert.ok(ofOther !== undefined && ofOther.at < (sent.at(-1)?.at ?? 0));
  });
});
