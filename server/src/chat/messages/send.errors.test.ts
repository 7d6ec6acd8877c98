import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monthlyQuotaExceeded } from './send.errors.ts';

const context = {
  device_id: '',
  team_id: '',
  bot_id: '',
  name: 'Desk',
  allowed: true,
  banned: false,
  ready: true,
  taken_over: false,
  quota: 100,
  message_limit: 105,
  used: 105,
  restricted_until: null,
  opted_out: false,
  initiates: true,
  window_closed: false,
  default_template: null,
  templates: [],
};

test('says when the month ends, and sends Retry-After on its last day only', () => {
  const early = monthlyQuotaExceeded(context, new Date('2026-12-30T23:59:59Z'));
  assert.deepEqual(early.details, {
    reason: 'active_messages',
    quota: 100,
    used: 105,
    limit: 105,
    resets_at: '2027-01-01T00:00:00.000Z',
  });
  assert.equal('retry-after' in early.headers, false);
  const late = monthlyQuotaExceeded(context, new Date('2026-12-31T00:00:00Z'));
  assert.equal(late.headers['retry-after'], '86400');
});
