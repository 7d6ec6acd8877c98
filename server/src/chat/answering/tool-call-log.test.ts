import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type ChatDevice, startChatApp, startTestService } from '../../../test/chats.ts';
import { eventually } from '../../../test/eventually.ts';
import { calling, saying, tokens } from '../../../test/steps.ts';
import {
  type AssistantStep,
  type AssistantTurn,
  type TurnMessage,
  unknownOutcome,
} from '../../knowledge/assistant-provider/assistant-provider.ts';
import { newId } from '../../platform/shared/ids.ts';
import { ProviderError } from '../../ports/provider-error.ts';
import type { ActionResult, CallAction } from './call-action.ts';

const app = await startChatApp();
const { db } = app.context;
const contact = '+15550199';

const addDevice = (url = 'https://example.com/', method = 'POST'): Promise<ChatDevice> =>
  app.addDevice({ actions: [{ name: 'Book', endpoint: url, method, body: [{ key: 'day', value: '' }] }] });

/** A provider that calls the action, and then answers with the results that it sees. */
function bookingProvider(given: Record<string, string> = { day: 'Monday' }) {
  const turns: (readonly TurnMessage[])[] = [];
  const step = async ({ messages }: AssistantTurn): Promise<AssistantStep> => {
    turns.push([...messages]);
    const results = messages.flatMap((message) => (message.role === 'tool_results' ? message.results : []));
    return results.length === 0
      ? calling('Book', given, { usage: tokens(3, 1), state: ['s'] })
      : saying(`Results: ${results.map(({ result }) => result).join()}`, { usage: tokens(5, 1) });
  };
  return { step, turns };
}

/** Counts calls. `result` may be a promise that holds them up. */
function countedCalls(result: string | Promise<string> = 'booked') {
  const calls: Record<string, unknown>[] = [];
  const callAction: CallAction = async (_, given): Promise<ActionResult> => {
    calls.push(given);
    return { status: 200, result: await result, error: null };
  };
  return { calls, callAction };
}

const storedCalls = async (desk: ChatDevice): Promise<{ outcome: object | null }[]> => {
  const { rows } = await sql<{ outcome: object | null }>`
    select t.outcome from tool_calls t join conversations c on c.id = t.conversation_id
    where c.device_id = ${desk.deviceId} order by t.position`.execute(db);
  return rows;
};

const expireClaim = (desk: ChatDevice) =>
  sql`update conversations set claimed_until = now() - interval '1 second' where device_id = ${desk.deviceId}`.execute(
    db,
  );

const readAnswer = (desk: ChatDevice) =>
  db.selectFrom('answers').selectAll().where('device_id', '=', desk.deviceId).executeTakeFirstOrThrow();

test('a retry after a failed completion calls nothing again and deletes the stored calls', async () => {
  const desk = await addDevice();
  const { calls, callAction } = countedCalls();
  await sql`
    create function fail_completion() returns trigger language plpgsql as 'begin raise ''failed by the test''; end'`.execute(
    db,
  );
  await sql`create trigger fail_completion before insert on answers execute function fail_completion()`.execute(
    db,
  );
  const worker = app.startAnswering({ provider: bookingProvider(), callAction });
  await app.write(desk, contact, 'Book it');
  // Its claim, and its postponement.
  await eventually(async () =>
    assert.ok(Number((await app.readConversation(desk, contact)).claim_fence) >= 2),
  );
  assert.equal((await storedCalls(desk)).length, 1);
  await sql`drop trigger fail_completion on answers`.execute(db);
  assert.deepEqual(await app.untilReplied(desk, contact), ['Results: booked']);
  await worker.close();
  assert.equal(calls.length, 1);
  assert.deepEqual(await storedCalls(desk), []);
});

test('a retry after a provider failure continues after the stored call, with its usage and its trace', async () => {
  const desk = await addDevice();
  const { calls, callAction } = countedCalls('a\0b\ud800');
  const provider = bookingProvider({ day: 'x\0y\udc00' });
  let failures = 0;
  const step = async (turn: AssistantTurn) => {
    const taken = await provider.step(turn);
    if (taken.kind === 'answer' && failures++ === 0) throw new ProviderError('transient', 'away');
    return taken;
  };
  const worker = app.startAnswering({ provider: { step }, callAction });
  await app.write(desk, contact, 'Book it');
  await app.untilReplied(desk, contact);
  await worker.close();
  assert.deepEqual(calls, [{ day: 'x\0y\udc00' }]);
  assert.equal(provider.turns.length, 3);
  assert.deepEqual(provider.turns[2], provider.turns[1]);
  const { trace } = await readAnswer(desk);
  const { usage, actions } = trace as { usage: object; actions: { name: string; status: number }[] };
  assert.deepEqual(usage, [...tokens(3, 1), ...tokens(5, 1)]);
  assert.deepEqual(
    actions.map(({ name, status }) => [name, status]),
    [['Book', 200]],
  );
});

test('a failed call is recorded as an event of its action, whatever its arguments and result contain', async () => {
  const desk = await addDevice();
  const callAction: CallAction = async () => ({ status: 502, result: 'a\0b', error: 'returned 502' });
  const worker = app.startAnswering({ provider: bookingProvider({ day: 'x\0' }), callAction });
  await app.write(desk, contact, 'Book it');
  await app.untilReplied(desk, contact);
  await worker.close();
  const { rows } = await sql<{ data: object }>`
    select data from events where device_id = ${desk.deviceId} and type = 'action.failed'`.execute(db);
  const { id } = await app.readConversation(desk, contact);
  assert.deepEqual(
    rows.map(({ data }) => data),
    [
      {
        conversation_id: id,
        device_id: desk.deviceId,
        contact_number: contact,
        action: 'Book',
        status: 502,
        error: 'returned 502',
      },
    ],
  );
});

test('a retry answers the messages of the stored call, and later ones get their own answer', async () => {
  const desk = await addDevice();
  const { calls, callAction } = countedCalls();
  const provider = bookingProvider();
  const step = async (turn: AssistantTurn) => {
    const last = turn.messages.at(-1);
    if (last?.role === 'contact' && last.text === 'For two') return saying('Noted');
    const taken = await provider.step(turn);
    if (taken.kind === 'answer' && provider.turns.length === 2) {
      await app.write(desk, contact, 'For two');
      throw new ProviderError('transient', 'away');
    }
    return taken;
  };
  const worker = app.startAnswering({ provider: { step }, callAction });
  await app.write(desk, contact, 'Book it');
  assert.deepEqual(await app.untilReplied(desk, contact, 2), ['Results: booked', 'Noted']);
  await worker.close();
  assert.equal(calls.length, 1);
});

for (const [method, behaviour, result, expectedCalls] of [
  ['POST', 'reported as unknown', unknownOutcome, 1],
  ['GET', 'repeated', 'booked', 2],
] as const) {
  test(`a ${method} without a stored result is ${behaviour}, and a stale worker stores no result`, async () => {
    const desk = await addDevice('https://example.com/', method);
    const returned = Promise.withResolvers<string>();
    const slow = countedCalls(returned.promise);
    const first = app.startAnswering({
      provider: bookingProvider(),
      callAction: slow.callAction,
      maxClaims: 1, // it must not claim the conversation again while it waits for the action
      leaseSeconds: 600,
      graceMs: 10_000,
    });
    await app.write(desk, contact, 'Book it');
    await eventually(async () => assert.equal(slow.calls.length, 1));
    await expireClaim(desk);
    const next = countedCalls();
    const stored = Promise.withResolvers<void>();
    const provider = bookingProvider();
    const step = async (turn: AssistantTurn) => {
      const taken = await provider.step(turn);
      // The first worker's result arrives while the second one still answers.
      returned.resolve('late');
      await stored.promise;
      return taken;
    };
    const second = app.startAnswering({ provider: { step }, callAction: next.callAction });
    await first.close();
    assert.equal(JSON.stringify(await storedCalls(desk)).includes('late'), false);
    stored.resolve();
    assert.deepEqual(await app.untilReplied(desk, contact), [`Results: ${result}`]);
    await second.close();
    assert.equal(slow.calls.length + next.calls.length, expectedCalls);
  });
}

test('a retry knows the calls of the earlier attempt, also those beyond the limits', async () => {
  const desk = await addDevice();
  const { calls, callAction } = countedCalls();
  const days = Array.from({ length: 10 }, (_, day) => ({
    callId: `c${day}`,
    tool: 'Book',
    arguments: JSON.stringify({ day: `day ${day}` }),
  }));
  const turns: (readonly TurnMessage[])[] = [];
  const step = async ({ messages }: AssistantTurn): Promise<AssistantStep> => {
    const results = messages.filter(({ role }) => role === 'tool_results');
    if (results.length === 0) return calling('Book', {}, { calls: days });
    if (results.length > 1) return saying('Booked.');
    turns.push([...messages]);
    if (turns.length === 1) throw new ProviderError('transient', 'away');
    return calling('Book', { day: 'day 3' });
  };
  const worker = app.startAnswering({ provider: { step }, callAction });
  await app.write(desk, contact, 'Book it');
  await app.untilReplied(desk, contact);
  await worker.close();
  assert.equal(calls.length, 8);
  assert.deepEqual(turns[1], turns[0]);
  const results = turns[1]?.at(-1);
  assert.ok(results?.role === 'tool_results');
  assert.equal(results.results.length, 10);
  const { actions } = (await readAnswer(desk)).trace as { actions: object[] };
  assert.equal(actions.length, 8);
});

test('a worker whose claim was taken over makes no call', async () => {
  const desk = await addDevice();
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const step = async () => {
    asked.resolve();
    await gate.promise;
    return calling('Book', { day: 'Monday' });
  };
  const { calls, callAction } = countedCalls();
  const first = app.startAnswering({
    provider: { step },
    callAction,
    concurrency: 1,
    leaseSeconds: 600,
    graceMs: 10_000,
  });
  await app.write(desk, contact, 'Book it');
  await asked.promise;
  await expireClaim(desk);
  const second = app.startAnswering({ provider: { step: async () => saying('Done') } });
  await app.untilReplied(desk, contact);
  gate.resolve();
  await Promise.all([first.close(), second.close()]);
  assert.deepEqual(calls, []);
  assert.deepEqual(await storedCalls(desk), []);
});

test('a takeover by a person deletes the stored calls', async () => {
  const desk = await addDevice();
  const failing = async (turn: AssistantTurn) =>
    turn.messages.at(-1)?.role === 'contact'
      ? calling('Book', { day: 'Monday' })
      : Promise.reject(new ProviderError('auth', 'no'));
  const worker = app.startAnswering({ provider: { step: failing }, callAction: countedCalls().callAction });
  await app.write(desk, contact, 'Book it');
  await eventually(async () => assert.equal((await storedCalls(desk))[0]?.outcome === null, false));
  await app.write(desk, contact, 'I will do it', { fromMe: true });
  await worker.close();
  assert.deepEqual(await storedCalls(desk), []);
});

test('ignores the calls of an earlier answer', async () => {
  const desk = await addDevice();
  await app.write(desk, contact, 'Book it');
  const { id } = await app.readConversation(desk, contact);
  const { calls: _, ...step } = calling('Book');
  const made = { callId: 'c', tool: 'Book', arguments: '{"day":"Sunday"}', method: 'POST' };
  const call = { lastMessageId: newId(), made, step };
  const outcome = { status: 200, result: 'booked earlier', error: null, ms: 1 };
  await sql`
    insert into tool_calls (conversation_id, first_message_id, position, call, outcome)
    values (${id}, ${newId()}, 0, ${call}, ${outcome})`.execute(db);
  const { calls, callAction } = countedCalls();
  const worker = app.startAnswering({ provider: bookingProvider(), callAction });
  assert.deepEqual(await app.untilReplied(desk, contact), ['Results: booked']);
  await worker.close();
  assert.equal(calls.length, 1);
  assert.deepEqual(await storedCalls(desk), []);
});

test('calls a service once whose 200 KB answer is deeply nested', async () => {
  const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const service = await startTestService((_, response) => response.end(nested));
  const desk = await addDevice(service.url);
  const step = async ({ messages }: AssistantTurn): Promise<AssistantStep> => {
    const last = messages.at(-1);
    return last?.role === 'tool_results'
      ? saying(`${last.results[0]?.result.length} characters`)
      : calling('Book', { day: 'Monday' });
  };
  const worker = app.startAnswering({ provider: { step } });
  await app.write(desk, contact, 'Book it');
  assert.deepEqual(await app.untilReplied(desk, contact), ['16384 characters']);
  await worker.close();
  assert.equal(service.requests.length, 1);
});

test('deleting a conversation deletes its stored calls', async () => {
  const desk = await addDevice();
  await app.write(desk, contact, 'Book it');
  const { id } = await app.readConversation(desk, contact);
  await sql`
    insert into tool_calls (conversation_id, first_message_id, position, call) values (${id}, ${newId()}, 0, '{}')`.execute(
    db,
  );
  await sql`delete from conversations where id = ${id}`.execute(db);
  const { rows } = await sql`select from tool_calls where conversation_id = ${id}`.execute(db);
  assert.equal(rows.length, 0);
});
