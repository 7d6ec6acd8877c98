import assert from 'node:assert/strict';
import type { AssistantProvider } from '../src/knowledge/assistant-provider/assistant-provider.ts';
import { botRoutes } from '../src/knowledge/bots/bots.routes.ts';
import { newId } from '../src/platform/shared/ids.ts';
import { createTeam } from '../src/tenancy/teams/teams.ts';
import { startTestApp, type TestApp, type TestContext } from './harness.ts';

/** An API for bots with a provider that tests can make fail. */
export interface BotsApp extends TestApp {
  provider: FailingProvider;
}

export const providerDeadlineMs = 4000;

export async function startBotsApp(): Promise<BotsApp> {
  const wrappers: CallWrappers = {};
  const providers: AssistantProvider[] = [];
  const app = await startTestApp({
    routes: (context) => {
      const provider = wrapCalls(context.provider, wrappers);
      providers.push(provider);
      return [botRoutes({ ...context, provider, providerDeadlineMs })];
    },
  });
  const [provider] = providers;
  if (provider === undefined) throw new Error('no routes were created');
  return { ...app, provider: { ...provider, wrappers } };
}

/** Wraps a call, to delay it, skip it or lose its result. */
type CallWrapper = <Result>(call: () => Promise<Result>, signal: AbortSignal) => Promise<Result>;

interface CallWrappers {
  checkModel?: CallWrapper;
  putKnowledge?: CallWrapper;
  putAssistant?: CallWrapper;
}

export interface FailingProvider extends AssistantProvider {
  wrappers: CallWrappers;
}

function wrapCalls(provider: AssistantProvider, wrappers: CallWrappers): AssistantProvider {
  const passThrough: CallWrapper = (call) => call();
  return {
    ...provider,
    checkModel: (check, signal) =>
      (wrappers.checkModel ?? passThrough)(() => provider.checkModel(check, signal), signal),
    putKnowledge: (tag, signal) =>
      (wrappers.putKnowledge ?? passThrough)(() => provider.putKnowledge(tag, signal), signal),
    putAssistant: (tag, ref, spec, signal) =>
      (wrappers.putAssistant ?? passThrough)(() => provider.putAssistant(tag, ref, spec, signal), signal),
  };
}

/** Wraps the calls until the returned function is called. */
export function failing(provider: FailingProvider, wrappers: CallWrappers): () => void {
  Object.assign(provider.wrappers, wrappers);
  return () => {
    for (const name of Object.keys(wrappers)) Reflect.deleteProperty(provider.wrappers, name);
  };
}

/** Creates a team and returns its id. */
export async function addTeam(
  { db }: Pick<TestContext, 'db'>,
  quotas: { bots?: number; accounts?: number } = {},
): Promise<string> {
  const created = await db.transaction().execute((tx) =>
    createTeam(tx, {
      user: { name: 'Ada', email: 'ada@example.com' },
      team: { name: 'Harbour bicycles', quotas },
    }),
  );
  return created.team.id;
}

/** Creates a bot and returns the response data. */
export async function addBot(
  { api }: Pick<TestApp, 'api'>,
  teamId: string,
  members: object = {},
): Promise<{ id: string; ai_provider_id: string; vector_id: string }> {
  const { status, body } = await api('POST', '/bots', {
    body: { team_id: teamId, name: 'Desk', ...members },
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

/** Inserts a live document with one sentence that the provider has indexed. */
export async function addDocument(
  { db, provider }: Pick<TestContext, 'db' | 'provider'>,
  teamId: string,
  text = 'A deposit of forty euros is taken for each bicycle.',
): Promise<{ id: string; ref: string }> {
  const id = newId();
  const { ref } = await provider.putDocument(
    { teamId, objectId: id, operation: id },
    {
      name: 'rental.txt',
      type: 'txt',
      bytes: Buffer.from(text),
      sections: [{ page: null, heading: null, text }],
    },
    new AbortController().signal,
  );
  await db
    .insertInto('documents')
    .values({
      id,
      team_id: teamId,
      state: 'live',
      name: 'rental.txt',
      type: 'txt',
      size: text.length,
      ai_provider_id: ref,
      file_key: `${teamId}/${ref}.txt`,
      chars: text.length,
      charged_characters: text.length,
      provider_status: 'ready',
    })
    .execute();
  return { id, ref };
}
