import { composeApi } from '../../server/src/compose/api.ts';
import { readConfig } from '../../server/src/config.ts';
import { createAdapters, createContext } from '../../server/src/context.ts';
import { createLogger } from '../../server/src/shared/logger.ts';

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
