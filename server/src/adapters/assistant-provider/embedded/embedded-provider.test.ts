import { connectTestDatabase } from '../../../../test/provider-on-test-database.ts';
import { testAssistantProvider } from '../assistant-provider.contract.ts';
import { createEmbeddedProvider } from './embedded-provider.ts';

const database = await connectTestDatabase();

testAssistantProvider((installationId) => createEmbeddedProvider({ ...database, installationId }));
