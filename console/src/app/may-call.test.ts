import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayCall } from './may-call.ts';

const team = (role: string | null) => ({ teamId: 'team-1', role });
const partner = (role: string | null) => ({ teamId: null, role });

test('offers in a portal only what its pages need', () => {
  const portal = { ...team('editor'), portal: { pages: ['documents'] } };
  assert.ok(mayCall(portal, 'uploadDocument') && !mayCall(portal, 'updateBot'));
  assert.ok(!mayCall({ ...portal, role: 'viewer' }, 'uploadDocument'));
});

test('offers what the role may do', () => {
  assert.deepEqual(
    ['viewer', 'agent', 'editor', 'owner', null].map((role) => mayCall(team(role), 'updateBot')),
    [false, false, true, true, true],
  );
  assert.ok(!mayCall(team(null), 'listPlans') && mayCall(partner('support'), 'listPlans'));
  assert.ok(!mayCall(partner('admin'), 'createUser') && mayCall(partner(null), 'createUser'));
});
