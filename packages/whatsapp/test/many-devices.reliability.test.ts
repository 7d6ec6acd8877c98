import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { addBot, addTeam } from '../../../server/test/bots.ts';
import { linkUpTo, waitForEntries, writeToAll } from './many-phones.ts';
import { startRig } from './rig.ts';

const count = 200;
const contact = '+15550199';
const opening = { question: 'When do you open?', answer: 'We open at nine.' };

describe(`${count} linked devices of one pool process`, { timeout: 600_000 }, async () => {
  const rig = await startRig();
  const { fake, context } = rig;
  // Creating the keys of many devices keeps the process busy for longer than the lease of other tests.
  const startPool = () => rig.startPool({ ROLES: 'pool,worker', LEASE_SECONDS: '30' });
  let pool = await startPool();
  const teamId = await addTeam(context, { accounts: count });
  await sql`
    update teams set settings = '{"reply_delay_seconds": 0}' where id = ${teamId}`.execute(context.db);
  const { id: botId } = await addBot(rig, teamId, { questions: [opening] });
  assert.equal((await rig.api('POST', `/bots/${botId}/publish`)).status, 200);

  const phones: string[] = [];

  for (const round of [1, 2]) {
    test(`all log in, receive and answer ${round === 1 ? 'at first' : 'after a restart'}`, async () => {
      if (round === 1) {
        await linkUpTo(count, (phone) => rig.link(phone, { teamId, botId }), { phones, atOnce: 5 });
      } else {
        pool.child.kill('SIGTERM');
        assert.equal(await pool.ended, 0);
        pool = await startPool();
        await waitForEntries(fake, 'login', count * round);
      }
      await writeToAll(fake, phones, { from: contact, texts: [opening.question] });
      await waitForEntries(fake, 'sent', count * round);
      const journal = await fake.journal();
      const unreadable = journal.filter(({ type }) => ['retry', 'undecryptable', 'nack'].includes(type));
      assert.deepEqual(unreadable, []);
      for (const phone of phones) {
        const texts = journal.flatMap((entry) =>
          entry.type === 'sent' && entry.device === phone ? [entry.text] : [],
        );
        assert.deepEqual(texts, Array(round).fill(opening.answer), phone);
        const logins = journal.filter((entry) => entry.type === 'login' && entry.device === phone);
        assert.ok(logins.length >= round, phone);
      }
    });
  }
});
