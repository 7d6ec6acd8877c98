import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChats, createTestBots } from '../../../test/chats.ts';
import { startTestApp } from '../../../test/harness.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { newId } from '../../platform/shared/ids.ts';
import { createActionCaller } from '../answering/call-action.ts';
import type { Hours } from './hours.schemas.ts';
import { isOpen } from './opening.ts';

const base = await startTestApp();
const callAction = createActionCaller({ outbound: createOutbound({ allowedHosts: [] }) });
const app = { ...base, ...createChats({ ...base, bots: createTestBots(base.context), callAction }) };
const { api } = app;
app.startAnswering();

const contact = '+15550178201';
const text = 'We are closed. We write to you at 9.';

function openOn(times: Hours['week']['monday'], exceptions: Hours['exceptions'] = []): Hours {
  const [monday, tuesday, wednesday, thursday, friday] = [times, times, times, times, times];
  const week = { monday, tuesday, wednesday, thursday, friday, saturday: [], sunday: [] };
  return { week, exceptions, text };
}

test('knows when a team is open: by weekday, by time, by date and in its time zone', () => {
  const hours = openOn(
    [
      { from: '09:00', until: '13:00' },
      { from: '15:00', until: '24:00' },
    ],
    [
      { date: '2026-12-24', times: [{ from: '10:00', until: '12:00' }] },
      { date: '2026-11-29', times: [{ from: '00:00', until: '24:00' }] },
    ],
  );
  for (const [time, timeZone, open] of [
    ['2026-11-27T09:00:00Z', 'UTC', true],
    ['2026-11-27T08:59:59Z', 'UTC', false],
    ['2026-11-27T12:59:59Z', 'UTC', true],
    ['2026-11-27T13:00:00Z', 'UTC', false],
    ['2026-11-27T23:59:59Z', 'UTC', true],
    ['2026-11-28T09:00:00Z', 'UTC', false],
    ['2026-11-29T00:00:00Z', 'UTC', true],
    ['2026-12-24T09:30:00Z', 'UTC', false],
    ['2026-12-24T10:00:00Z', 'UTC', true],
    ['2026-11-27T08:00:00Z', 'Europe/Berlin', true],
    ['2026-07-24T07:00:00Z', 'Europe/Berlin', true],
    ['2026-07-24T06:59:00Z', 'Europe/Berlin', false],
    // Friday evening in UTC is Saturday in Auckland.
    ['2026-11-27T20:00:00Z', 'Pacific/Auckland', false],
    ['2026-11-29T20:00:00Z', 'Pacific/Auckland', true],
  ] as const)
    assert.equal(isOpen(hours, new Date(time), timeZone), open, `${time} ${timeZone}`);
  assert.equal(isOpen(null, new Date(), 'UTC'), true);
});

test('tells a contact who asks for a person while the team is closed, and flags the conversation', async () => {
  const closed = openOn([]);
  for (const { hours, allowHuman, expected } of [
    { hours: undefined, allowHuman: true, expected: /A person from our team/ },
    { hours: closed, allowHuman: true, expected: /We are closed/ },
    { hours: closed, allowHuman: false, expected: /We are closed/ },
    {
      hours: {
        ...closed,
        exceptions: [-1, 0, 1].map((day) => ({
          date: dateIn(day),
          times: [{ from: '00:00', until: '24:00' }],
        })),
      },
      allowHuman: true,
      expected: /A person from our team/,
    },
  ]) {
    const desk = await app.addDevice(
      { allow_human: allowHuman },
      { disclosure: 'off', disclosure_off_reason: 'test' },
    );
    const { status, body } = await api('PUT', `/teams/${desk.teamId}/hours`, { body: { hours } });
    assert.equal(status, 200, JSON.stringify(body));
    await app.write(desk, contact, 'I want to talk to a person');
    const [reply = ''] = await app.untilReplied(desk, contact);
    assert.match(reply, expected);
    assert.equal((await app.readConversation(desk, contact)).flag, 'human_requested');
  }
});

/** The date this many days from today, in UTC. */
const dateIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

test('keeps the hours of a team, and refuses wrong ones', async () => {
  const { teamId } = await app.addDevice();
  const path = `/teams/${teamId}/hours`;
  const empty = await api('GET', path);
  assert.deepEqual(
    [empty.body.data.hours, empty.body.data.open, empty.body.data.updated_at],
    [null, true, null],
  );
  const hours = openOn([{ from: '09:00', until: '18:00' }], [{ date: '2026-12-24', times: [] }]);
  const stored = await api('PUT', path, { body: { hours } });
  assert.deepEqual(stored.body.data.hours, hours);
  assert.deepEqual((await api('GET', path)).body.data, stored.body.data);
  const week = { ...hours.week };
  for (const [wrong, issue] of [
    [{ ...hours, text: ' ' }, 'text'],
    [{ ...hours, text: 'x'.repeat(1001) }, 'text'],
    [{ ...hours, week: { ...week, monday: [{ from: '18:00', until: '09:00' }] } }, 'week.monday[0].until'],
    [{ ...hours, week: { ...week, monday: [{ from: '24:00', until: '24:00' }] } }, 'week.monday[0].from'],
    [
      {
        ...hours,
        week: {
          ...week,
          friday: [
            { from: '09:00', until: '12:00' },
            { from: '11:00', until: '13:00' },
          ],
        },
      },
      'week.friday[1].from',
    ],
    [{ ...hours, exceptions: [...hours.exceptions, ...hours.exceptions] }, 'exceptions[1].date'],
    [{ ...hours, exceptions: [{ date: '2026-02-30', times: [] }] }, 'exceptions[0].date'],
    [
      { ...hours, exceptions: Array.from({ length: 101 }, () => ({ date: '2026-12-24', times: [] })) },
      'exceptions',
    ],
  ] as const) {
    const { status, body } = await api('PUT', path, { body: { hours: wrong } });
    assert.equal(status, 400, issue);
    assert.ok(JSON.stringify(body.details.issues).includes(issue), JSON.stringify(body));
  }
  const viewer = await app.issueKey({ teamId, role: 'agent' });
  assert.equal((await api('PUT', path, { token: viewer.token, body: {} })).status, 403);
  assert.equal((await api('GET', path, { token: viewer.token })).status, 200);
  const other = await app.issueKey({ teamId: (await app.addDevice()).teamId });
  assert.equal((await api('PUT', path, { token: other.token, body: {} })).status, 404);
  assert.equal((await api('GET', path, { token: other.token })).status, 404);
  assert.equal((await api('GET', `/teams/${newId()}/hours`)).status, 404);
  const open = await api('PUT', path, { body: {} });
  assert.deepEqual([open.body.data.hours, open.body.data.open], [null, true]);
});
