import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BotAction } from '../../knowledge/bots/bot-actions.ts';
import { OutboundError } from '../../platform/outbound/outbound-error.ts';
import { ActionNotCalled, createEndpointLimits } from './endpoint-limits.ts';

const newAction = (): BotAction => ({
  id: 'a',
  name: 'Look up',
  description: '',
  endpoint: 'https://api.example.com/',
  method: 'GET',
  headers: [],
  body: [],
});
const target = { teamId: 'one', url: 'https://api.example.com/orders' };
const timeOut = () => Promise.reject(new OutboundError({ cause: null, timedOut: true }));
const answer = async () => 'answer';

/** Limits with a clock that `advance` moves. */
function createLimits() {
  let now = 0;
  const limits = createEndpointLimits({ elapsed: () => now });
  const advance = (ms: number) => {
    now += ms;
  };
  return { limits, advance };
}

async function openBreaker(
  limits: ReturnType<typeof createEndpointLimits>,
  action: BotAction,
): Promise<void> {
  for (let n = 0; n < 5; n += 1) await assert.rejects(limits.run(action, target, timeOut), OutboundError);
}

test('an action that timed out five times in a row is not called for 30 seconds', async () => {
  const { limits, advance } = createLimits();
  const action = newAction();
  await openBreaker(limits, action);
  const refused = { name: 'ActionNotCalled', message: 'not called: the endpoint timed out 5 times in a row' };
  await assert.rejects(limits.run(action, target, answer), refused);
  advance(29_999);
  await assert.rejects(limits.run(action, target, answer), refused);
  assert.equal(
    await limits.run(newAction(), target, answer),
    'answer',
    'another action of the host is called',
  );
  advance(1);
  assert.equal(await limits.run(action, target, answer), 'answer');
  assert.equal(await limits.run(action, target, answer), 'answer');
});

test('one call at a time tries an endpoint that timed out', async () => {
  const { limits, advance } = createLimits();
  const action = newAction();
  await openBreaker(limits, action);
  advance(30_000);
  const response = Promise.withResolvers<string>();
  const trial = limits.run(action, target, () => response.promise);
  await assert.rejects(limits.run(action, target, answer), ActionNotCalled);
  response.reject(new OutboundError({ cause: null, timedOut: true }));
  await assert.rejects(trial, OutboundError);
  advance(29_999);
  await assert.rejects(limits.run(action, target, answer), ActionNotCalled);
});

test('a response between timeouts keeps the breaker closed', async () => {
  const { limits } = createLimits();
  const action = newAction();
  for (let n = 0; n < 20; n += 1) {
    if (n % 4 === 0) await limits.run(action, target, answer);
    await assert.rejects(limits.run(action, target, timeOut), OutboundError);
  }
});

test('calls at most 32 endpoints of a host at once, and 16 of them for a team', async () => {
  const { limits } = createLimits();
  const gate = Promise.withResolvers<string>();
  let called = 0;
  const hang = () => {
    called += 1;
    return gate.promise;
  };
  const call20 = (teamId: string) =>
    Array.from({ length: 20 }, () => limits.run(newAction(), { ...target, teamId }, hang));
  const calls = call20('one');
  assert.equal(await limits.run(newAction(), { ...target, teamId: 'two' }, answer), 'answer');
  assert.equal(called, 16);
  const other = { ...target, url: 'https://other.example.com/' };
  assert.equal(await limits.run(newAction(), other, answer), 'answer');
  calls.push(...call20('two'), ...call20('three'));
  assert.equal(await limits.run(newAction(), other, answer), 'answer');
  assert.equal(called, 32);
  gate.resolve('answer');
  await Promise.all(calls);
  assert.equal(called, 60);
});

test('leaves half of the places of waiting calls to other teams', async () => {
  const { limits } = createLimits();
  const gate = Promise.withResolvers<string>();
  const call = (teamId: string, count: number) =>
    Array.from({ length: count }, () =>
      limits.run(newAction(), { ...target, teamId }, () => gate.promise).catch((error: Error) => error.name),
    );
  const own = [...call('one', 100), ...call('two', 16)];
  const other = call('three', 32);
  gate.resolve('answer');
  const count = async (calls: Promise<string>[], result: string) =>
    (await Promise.all(calls)).filter((each) => each === result).length;
  assert.equal(await count(own, 'ActionNotCalled'), 100 - 16 - 32);
  assert.equal(await count(other, 'answer'), 32);
});
