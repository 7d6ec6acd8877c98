import { after } from 'node:test';
import type { Clock } from '../../src/shared/clock.ts';
import { type Api, createApiClient } from '../api-client.ts';
import { type DevicesApp, startDevicesApp } from '../devices.ts';
import { foundationsOn, startApiOn, type TestApp, type TestAppOptions } from '../harness.ts';

/** Two apis with connections and caches of their own on one database, a pool, and the simulated network. */
export interface TwoApis extends DevicesApp {
  /** For the n-th of many calls with one key: the apis take turns. */
  nth(n: number): Api;
  /** Starts one more, with a key of its own, for instance with another clock; by default the clock of the two, in the middle of a month. */
  addApi(options?: TestAppOptions): Promise<TestApp>;
}

export async function startTwoApis(): Promise<TwoApis> {
  const clock = midMonth();
  const app = await startDevicesApp({ clock });
  await app.startPool({ ackTimeoutMs: 3000 });
  const addApi = async (options: TestAppOptions = {}): Promise<TestApp> => {
    const replacements = { clock, ...options.replacements };
    const foundations = await foundationsOn(app.databaseUrl, { ...options, replacements });
    const added = await startApiOn(foundations);
    after(() => foundations.close());
    return added;
  };
  const { baseUrl } = await addApi();
  const apis = [app.api, await createApiClient(baseUrl, app.key.token)];
  return { ...app, addApi, nth: (n) => apis[n % apis.length] ?? app.api };
}

/** The system's clock, moved by whole days to the middle of its month, so that no month ends while it is counted. */
function midMonth(): Clock {
  const days = 15 - new Date().getUTCDate();
  return { now: () => new Date(Date.now() + days * 86_400_000) };
}
