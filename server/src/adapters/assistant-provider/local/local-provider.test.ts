import { connectTestDatabase } from '../../../../test/provider-on-test-database.ts';
import { testAssistantProvider, testRetrieval } from '../assistant-provider.contract.ts';
import { createLocalProvider } from './local-provider.ts';

const database = await connectTestDatabase();

const create = (installationId: string) => createLocalProvider({ ...database, installationId });

testAssistantProvider(create);
testRetrieval(create);
