import type { AssistantProvider } from './assistant-provider.ts';
import type { Db } from './embedded/embedded.queries.ts';
import { createEmbeddedProvider } from './embedded/embedded-provider.ts';

export function createAssistantProvider(options: {
  name: 'embedded';
  db: Db;
  databaseUrl: string;
  /** Distinguishes the objects of this installation from those of others. */
  installationId: string;
}): AssistantProvider {
  switch (options.name) {
    case 'embedded':
      return createEmbeddedProvider(options);
    default:
      return options.name satisfies never;
  }
}
