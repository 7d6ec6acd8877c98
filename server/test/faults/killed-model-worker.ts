import { after } from 'node:test';
import { sql } from 'kysely';
import { startChatApp, startTestService } from '../chats.ts';
import { startFakeModels } from '../fake-models/fake-models.ts';
import { serverProcesses } from './server-process.ts';

const contact = '+15550199';

/**
 * Starts what a test needs to kill a worker process while it answers with a language model: a fake model, an app in this
 * process, and an endpoint of actions. `levels` are the ids of the models of levels 1 and 2.
 */
export async function openModelWorkers(levels: readonly [string, string]) {
  const fakes = await startFakeModels();
  after(() => fakes.stop());
  const environment = {
    ASSISTANT_PROVIDER: 'openai',
    MODEL_API_KEY: 'key',
    MODEL_BASE_URL: `${fakes.url}/v1`,
    MODEL_LEVEL_1: levels[0],
    MODEL_LEVEL_2: levels[1],
  };
  const app = await startChatApp({ environment });
  const { db, databaseUrl } = app.context;
  const service = await startTestService((_, response) => response.end('{"booked":true}'));
  const processes = await serverProcesses({
    ...environment,
    ROLES: 'api,worker',
    DATABASE_URL: databaseUrl,
    SIMULATOR_URL: 'http://127.0.0.1:1',
    ACTION_ALLOWED_HOSTS: new URL(service.url).host,
  });
  return {
    fakes,
    app,
    service,
    startWorker: (faultPoint: string) => processes.start({ FAULT_POINT: faultPoint }),
    /** Writes to the device, waits for the end of the worker, and returns what a worker in this process replies. */
    async askUntilKilled(
      desk: Awaited<ReturnType<typeof app.addDevice>>,
      text: string,
      killed: Awaited<ReturnType<typeof processes.start>>,
    ): Promise<string[]> {
      await app.write(desk, contact, text);
      await killed.ended;
      await sql`update conversations set claimed_until = now() where device_id = ${desk.deviceId}`.execute(
        db,
      );
      const next = app.startAnswering();
      const replies = await app.untilReplied(desk, contact);
      await next.close();
      return replies;
    },
  };
}
