import { after } from 'node:test';
import { type Api, createApiClient } from '../api-client.ts';
import { type DevicesApp, startDevicesApp } from '../devices.ts';
import { openTestContext, startApiOn, type TestApp, type TestAppOptions } from '../harness.ts';

/** Two APIs with separate connections and caches on one database, a pool, and the simulated network. */
export interface TwoApis extends DevicesApp {
  /** Returns the API for the n-th call. The two alternate. */
  nth(n: number): Api;
  /** Starts another API with its own key and options. */
  addApi(options?: TestAppOptions): Promise<TestApp>;
}

export async function startTwoApis(): Promise<TwoApis> {
  const app = await startDevicesApp();
  await app.startPool({ ackTimeoutMs: 3000 });
  const addApi = async (options: TestAppOptions = {}): Promise<TestApp> => {
    const context = await openTestContext(app.databaseUrl, options);
    const added = await startApiOn(context);
    after(() => context.close());
    return added;
  };
  const { baseUrl } = await addApi();
  const apis = [app.api, await createApiClient(baseUrl, app.key.token)];
  return { ...app, addApi, nth: (n) => apis[n % apis.length] ?? app.api };
}
