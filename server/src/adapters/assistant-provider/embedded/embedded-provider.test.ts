import { testAssistantProvider } from '../assistant-provider.contract.ts';
import { createEmbeddedProvider } from './embedded-provider.ts';
import { connectTestDatabase } from './provider-on-test-database.ts';

const db = await connectTestDatabase();

testAssistantProvider((installationId) => createEmbeddedProvider({ db, installationId }));
