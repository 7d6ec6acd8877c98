import { after } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase } from '../../../../test/test-database.ts';
import { connectDatabase } from '../../../database/database.ts';
import { testAssistantProvider } from '../assistant-provider.contract.ts';
import { createEmbeddedProvider } from './embedded-provider.ts';

const database = await createTestDatabase();
const connection = connectDatabase({
  url: database.url,
  poolSize: 4,
  applicationName: 'test',
  logger: pino({ level: 'silent' }),
});
after(async () => {
  await connection.close();
  await database.drop();
});

testAssistantProvider((installationId) => createEmbeddedProvider({ db: connection.db, installationId }));
