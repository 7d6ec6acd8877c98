import type { AssistantProvider } from './assistant-provider.ts';
import type { Db } from './embedded/embedded.queries.ts';
import { createEmbeddedProvider } from './embedded/embedded-provider.ts';

/** The provider that the configuration names. */
export function createAssistantProvider(options: {
  name: 'embedded';
  db: Db;
  databaseUrl: string;
  /** Tells this installation's objects at the provider from others'. */
  installationId: string;
}): AssistantProvider {
  switch (options.name) {
    case 'embedded':
      return createEmbeddedProvider(options);
    default:
      return options.name satisfies never;
  }
}
