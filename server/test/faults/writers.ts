import assert from 'node:assert/strict';
import { after } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../eventually.ts';
import type { Call, CallResult, PartnerFixture } from './partner-fixture.ts';

/** The number of concurrent clients that write each kind of object. */
const clients = { team: 4, bot: 4, message: 6, document: 2 } as const;
type Kind = keyof typeof clients;
const kinds = Object.keys(clients) as Kind[];

/** A response other than 200. */
export interface Refusal {
  kind: Kind;
  answer: CallResult;
  /** `performance.now()`. */
  sentAt: number;
  answeredAt: number;
}

export interface Writers {
  /** Ids of acknowledged writes. */
  acknowledged: Record<Kind, string[]>;
  refusals: Refusal[];
  /** Resolves after this number of further acknowledged writes of each kind. */
  progress(more: number, withinMs?: number): Promise<void>;
  stop(): Promise<void>;
}

/** Writes continuously until stopped. Does not retry a request without a response, because its result is unknown. */
export function startWriters(call: Call, fixture: PartnerFixture): Writers {
  const acknowledged: Writers['acknowledged'] = { team: [], bot: [], message: [], document: [] };
  const refusals: Refusal[] = [];
  let stopped = false;
  let written = 0;
  const write = async (kind: Kind): Promise<void> => {
    while (!stopped) {
      written += 1;
      const sentAt = performance.now();
      const answer = await requests[kind](call, fixture, written);
      if (answer?.status === 200) acknowledged[kind].push(getId[kind](answer));
      else {
        if (answer !== null) refusals.push({ kind, answer, sentAt, answeredAt: performance.now() });
        // Prevents a busy loop while requests are refused.
        await delay(50);
      }
    }
  };
  const writing = kinds.flatMap((kind) => Array.from({ length: clients[kind] }, () => write(kind)));
  const stop = async () => {
    stopped = true;
    await Promise.all(writing);
  };
  after(stop);
  return {
    acknowledged,
    refusals,
    stop,
    async progress(more, withinMs = 30_000) {
      const goals = kinds.map((kind) => ({ kind, count: acknowledged[kind].length + more }));
      await eventually(async () => {
        const pending = goals.filter(({ kind, count }) => acknowledged[kind].length < count);
        assert.deepEqual(pending, [], JSON.stringify(refusals.at(-1)));
      }, withinMs);
    },
  };
}

/** One request of each kind. `n` makes it unique. */
export const requests: Record<
  Kind,
  (call: Call, fixture: PartnerFixture, n: number) => Promise<CallResult | null>
> = {
  team: (call, _fixture, n) =>
    call('POST', '/teams', {
      user: { name: 'Ada', email: 'ada@example.com' },
      team: { name: `Team ${n}` },
    }),
  bot: (call, { teamId }, n) => call('POST', '/bots', { team_id: teamId, name: `Bot ${n}` }),
  message: (call, { deviceId }, n) =>
    call('POST', '/send', {
      device_id: deviceId,
      message: `Message ${n}`,
      destination_number: getContact(n),
    }),
  document(call, { teamId }, n) {
    const form = new FormData();
    form.append('team_id', teamId);
    form.append('file', new Blob([`Bicycle ${n} stands at the harbour.`]), `bicycle-${n}.txt`);
    return call('POST', '/documents', form);
  },
};

const getId: Record<Kind, (answer: CallResult) => string> = {
  team: ({ body }) => body.data.team.id,
  bot: ({ body }) => body.data.id,
  message: ({ body }) => body.data.messageId,
  document: ({ body }) => body.data.id,
};

/** Returns a different contact for each message, so that no message waits for another one. */
const getContact = (n: number): string => `+1556${String(n).padStart(7, '0')}`;
