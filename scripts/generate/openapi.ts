import { createLogger } from '../../server/src/platform/shared/logger.ts';
import { composeApi } from '../../server/src/process/compose/api.ts';
import { readConfig } from '../../server/src/process/config.ts';
import { createAdapters, createContext } from '../../server/src/process/context.ts';

/** Returns the OpenAPI document that the composed api serves. */
export async function generateOpenapi(databaseUrl: string): Promise<string> {
  const logger = createLogger('silent');
  const config = readConfig({});
  const context = await createContext({ config, databaseUrl, encryptionKeys: [Buffer.alloc(32)], logger });
  const { app, close } = await composeApi(context, await createAdapters(context));
  await app.ready();
  const document = `${JSON.stringify(app.swagger(), null, 2)}\n`;
  await close();
  await context.close();
  return document;
}
