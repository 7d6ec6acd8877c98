import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultPoints } from '../../src/platform/shared/fault-points.ts';
import { createDraw } from '../openapi/draw.ts';
import {
  parsePointName,
  planFaultPoints,
  removeReachedPoint,
  selectNextFaultPoints,
} from './plan-fault-points.ts';
import { faultPointLocations } from './processes.ts';

test('arms every fault point at least 25 times in 100 seeds', () => {
  const armed = Array.from({ length: 100 }, (_, seed) =>
    planFaultPoints(seed + 1, createDraw(seed + 1)),
  ).flatMap((points) => Object.values(points).flat().map(parsePointName));
  const planned = faultPoints.filter((point) => faultPointLocations[point].weight !== 0);
  const times = planned.map((point) => ({
    point,
    times: armed.filter((other) => other === point).length,
  }));
  assert.deepEqual(
    times.filter(({ times }) => times < 25),
    [],
  );
});

test('arms only the handover point until it is reached', () => {
  assert.deepEqual(selectNextFaultPoints(['drain.after_close@1', 'outbox.after_wire@2']), [
    'drain.after_close@1',
  ]);
  assert.deepEqual(selectNextFaultPoints(['outbox.after_wire@2', 'session.after_write@1']), [
    'outbox.after_wire@2',
    'session.after_write@1',
  ]);
});

test('removes a reached point from its process only', () => {
  const armedPoints = new Map([
    ['api_1' as const, ['idempotency.after_commit@2', 'send.after_accept@1']],
    ['api_2' as const, ['idempotency.after_commit@3']],
  ]);
  removeReachedPoint(armedPoints, { process: 'api_1', point: 'idempotency.after_commit' });
  assert.deepEqual(Object.fromEntries(armedPoints), {
    api_1: ['send.after_accept@1'],
    api_2: ['idempotency.after_commit@3'],
  });
});
