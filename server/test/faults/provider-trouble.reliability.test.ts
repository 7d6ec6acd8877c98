import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { botRoutes } from '../../src/knowledge/bots/bots.routes.ts';
import { documentRoutes } from '../../src/knowledge/documents/documents.routes.ts';
import { createExtractor } from '../../src/knowledge/documents/extraction/extractor.ts';
import { externalCleanupJobs } from '../../src/lifecycle/external-cleanup/external-cleanup.jobs.ts';
import { deleteTeamRoutes } from '../../src/lifecycle/team-deletion/delete-team.routes.ts';
import { teamRoutes } from '../../src/tenancy/teams/teams.routes.ts';
import type { ApiResponse } from '../api-client.ts';
import {
  createFlakyProvider,
  type FlakyProvider,
  type Method,
  providerFaultKinds,
} from '../flaky-provider.ts';
import { startTestApp } from '../harness.ts';
import { assertCountsAreExact, assertNothingIsOrphaned, settle } from './invariants.ts';

/** An API allows 20 seconds. */
const providerDeadlineMs = 3_000;

const providers: FlakyProvider[] = [];
let warmUp: Promise<unknown> | undefined;
const { api, context } = await startTestApp({
  routes: (defaults) => {
    const provider = createFlakyProvider(defaults.provider);
    providers.push(provider);
    const extractor = createExtractor({
      concurrency: 2,
      memoryMb: 512,
      processorMs: 10_000,
      logger: defaults.logger,
    });
    warmUp = extractor.extract({ type: 'txt', bytes: Buffer.from('Hello') }, { teamId: 'warm-up' });
    after(() => extractor.close());
    const deps = { ...defaults, provider, providerDeadlineMs, extractor, maxUploadBytes: 1_000 };
    return [teamRoutes(deps), deleteTeamRoutes(deps), documentRoutes(deps), botRoutes(deps)];
  },
});
// The first upload must not wait for the extractor's processes.
await warmUp;
const provider = providers[0] ?? assert.fail('routes() was not called');
const system = { ...context, provider };

/** Creates a team with quotas of one bot and one document. */
async function addTeam(): Promise<string> {
  const { body } = await api('POST', '/teams', {
    body: {
      user: { name: 'Ada', email: 'ada@example.com' },
      team: { name: 'Harbour', quotas: { bots: 1, documents: 1 } },
    },
  });
  return body.data.team.id;
}

const createBot = (team_id: string): Promise<ApiResponse> =>
  api('POST', '/bots', { body: { team_id, name: 'Desk' } });

const upload = (teamId: string): Promise<ApiResponse> => {
  const body = new FormData();
  body.append('team_id', teamId);
  body.append('file', new Blob(['Bicycles at the harbour.']), 'rental.txt');
  return api('POST', '/documents', { body });
};

async function expectOk(response: Promise<ApiResponse>): Promise<ApiResponse['body']['data']> {
  const { status, body } = await response;
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

/** Asserts that the request fails with its reason within the guaranteed 25 seconds. */
async function expectUnavailable(response: Promise<ApiResponse>): Promise<void> {
  const startedAt = performance.now();
  const { status, body } = await response;
  assert.deepEqual([status, body.details?.reason], [500, 'provider_unavailable'], JSON.stringify(body));
  assert.ok(performance.now() - startedAt < 25_000);
}

const creations: [string, Method, (teamId: string) => Promise<ApiResponse>, string][] = [
  ['creating a bot', 'putKnowledge', createBot, '/bots'],
  ['creating a bot', 'putAssistant', createBot, '/bots'],
  ['uploading', 'putDocument', upload, '/documents'],
];

describe('a failing provider', { concurrency: 20 }, () => {
  for (const fault of providerFaultKinds) {
    for (const [action, method, create, list] of creations) {
      test(`that ${fault} at ${method}: ${action} fails without leftovers, and a retry succeeds`, async () => {
        const teamId = await addTeam();
        provider.injectFault(teamId, method, fault);
        await expectUnavailable(create(teamId));
        assert.deepEqual(await expectOk(api('GET', `${list}?team_id=${teamId}`)), []);
        provider.clearFault(teamId);
        await expectOk(create(teamId));
      });
    }

    test(`that ${fault} at putAssistant: publishing fails without changes, and a retry succeeds`, async () => {
      const teamId = await addTeam();
      const { id } = await expectOk(createBot(teamId));
      provider.injectFault(teamId, 'putAssistant', fault);
      await expectUnavailable(api('POST', `/bots/${id}/publish`));
      assert.equal((await expectOk(api('GET', `/bots/${id}`))).published, false);
      assert.deepEqual(await expectOk(api('GET', `/bots/${id}/versions`)), []);
      provider.clearFault(teamId);
      assert.equal((await expectOk(api('POST', `/bots/${id}/publish`))).published, true);
    });
  }
});

/** The provider's deletions, with a request that causes each. */
const deletions: [Method, (team: { teamId: string; botId: string; documentId: string }) => string][] = [
  ['deleteAssistant', ({ botId }) => `/bots/${botId}`],
  ['deleteKnowledge', ({ botId }) => `/bots/${botId}`],
  ['deleteDocument', ({ documentId }) => `/documents/${documentId}`],
  ['deleteAssistant', ({ teamId }) => `/teams/${teamId}`],
];

describe('a deletion', () => {
  for (const fault of providerFaultKinds) {
    test(`succeeds while the provider ${fault}; a later cleanup deletes the remaining objects`, async () => {
      const teams: string[] = [];
      for (const [method, path] of deletions) {
        const teamId = await addTeam();
        teams.push(teamId);
        const [bot, document] = [await expectOk(createBot(teamId)), await expectOk(upload(teamId))];
        provider.injectFault(teamId, method, fault);
        await expectOk(api('DELETE', path({ teamId, botId: bot.id, documentId: document.id })));
      }
      await runCleanupFor(1_000);
      assert.notEqual(await countPendingCleanups(), 0);
      for (const teamId of teams) provider.clearFault(teamId);
      await provider.waitForDelayedCalls();
      await settle(system);
      assert.equal(await countPendingCleanups(), 0);
    });
  }
});

/** Runs the cleanup job once and aborts it after `ms`. */
async function runCleanupFor(ms: number): Promise<void> {
  const cleanup = externalCleanupJobs(system).find(({ name }) => name === 'remove-buried');
  await cleanup?.run({}, AbortSignal.timeout(ms));
}

const countPendingCleanups = async (): Promise<number> =>
  (await context.db.selectFrom('tombstones').select('id').execute()).length;

test('leaves no orphans at the provider or in the file store', async () => {
  await provider.waitForDelayedCalls();
  await settle(system);
  await assertCountsAreExact(system);
  await assertNothingIsOrphaned(system);
  const owned: string[] = [];
  for await (const { ref } of context.provider.listOwned(new AbortController().signal)) owned.push(ref);
  assert.deepEqual(owned.sort(), provider.listObjects());
});
