import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newPerson, startCloudApp } from '../../../test/cloud-numbers.ts';
import { eventually } from '../../../test/eventually.ts';
import type { Fault } from '../../../test/fake-graph/state.ts';

const app = await startCloudApp();
const { api, graph } = app;
await app.startPool();
const number = await app.addNumber();
const device = `device_id=${number.deviceId}`;

/** How the network takes a message. `normal` responds and then reports. */
const outcome = fc.constantFrom<'normal' | Fault>(
  'normal',
  { kind: 'status_first' },
  { kind: 'lose_response' },
  { kind: 'fail_later', code: 131049 },
);

const delivery = fc.record({
  copies: fc.integer({ min: 1, max: 3 }),
  /** At least 2, so that some webhooks come in reverse order. */
  reverse: fc.integer({ min: 2, max: 6 }),
});

const readUsed = async (): Promise<number> =>
  (await api('GET', `/teams/${number.teamId}/usage`)).body.data.active_messages.used;

const countSent = async (): Promise<number> => (await graph.sent(number.phone)).length;

test('statuses that are early, repeated and reordered decide each message once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(outcome, { minLength: 1, maxLength: 5 }),
      delivery,
      async (outcomes, delivered) => {
        const person = newPerson();
        await graph.write(number.phone, person, 'Hello');
        const chat = `${device}&contact_number=${encodeURIComponent(`+${person.wa_id}`)}`;
        await eventually(async () =>
          assert.equal((await api('GET', `/messages?${chat}&direction=in`)).body.data.length, 1),
        );
        const [usedBefore, sentBefore] = [await readUsed(), await countSent()];
        await graph.deliver(delivered);
        const responses = [];
        for (const [index, fault] of outcomes.entries()) {
          if (fault !== 'normal') await graph.fail(fault);
          const message = `Order ${index}`;
          responses.push(
            api('POST', '/send', {
              body: { device_id: number.deviceId, destination_number: `+${person.wa_id}`, message },
            }),
          );
          await eventually(async () => assert.equal(await countSent(), sentBefore + index + 1));
        }
        // Without a response of the network, `POST /send` waits for a status, which may be held until now.
        await graph.deliver({ copies: 1, reverse: 0 });
        const expected = new Map<string, string>();
        for (const [index, { status, body }] of (await Promise.all(responses)).entries()) {
          assert.equal(status, 200, JSON.stringify(body));
          const fault = outcomes[index];
          const fails = typeof fault === 'object' && fault.kind === 'fail_later';
          expected.set(body.data.messageId, fails ? 'refused' : 'delivered');
        }
        await eventually(async () => {
          const { data } = (await api('GET', `/messages?${chat}&direction=out`)).body;
          const states = data.map(({ id, status }: { id: string; status: string }) => [id, status]);
          assert.deepEqual(new Map(states), expected);
        });
        const refused = [...expected.values()].filter((state) => state === 'refused').length;
        assert.equal((await readUsed()) - usedBefore, outcomes.length - refused);
        assert.equal((await countSent()) - sentBefore, outcomes.length);
      },
    ),
    { numRuns: 12 },
  );
});
