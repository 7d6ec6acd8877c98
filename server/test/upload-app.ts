import { after } from 'node:test';
import type { AssistantProvider } from '../src/knowledge/assistant-provider/assistant-provider.ts';
import { documentRoutes } from '../src/knowledge/documents/documents.routes.ts';
import { createExtractor } from '../src/knowledge/documents/extraction/extractor.ts';
import { deleteTeamRoutes } from '../src/lifecycle/team-deletion/delete-team.routes.ts';
import type { FileStore } from '../src/ports/file-store/file-store.ts';
import { createMemoryFileStore } from '../src/ports/file-store/memory.ts';
import { teamRoutes } from '../src/tenancy/teams/teams.routes.ts';
import type { ApiResponse, CallOptions } from './api-client.ts';
import { startTestApp, type TestApp } from './harness.ts';

export const maxUploadBytes = 100_000;

export interface UploadApp extends TestApp {
  fileStore: FileStore;
  /** Creates a team and returns its id. */
  createTeam(quotas?: Record<string, number>): Promise<string>;
  upload(parts: UploadedParts, options?: CallOptions): Promise<ApiResponse>;
}

export interface UploadedParts {
  teamId: string;
  name?: string;
  content?: string | Uint8Array<ArrayBuffer>;
  chars?: string;
}

/**
 * Starts an API for documents and teams with the embedded provider and an in-memory file store. `options` may wrap
 * both.
 */
export async function startUploadApp(
  options: {
    provider?: (real: AssistantProvider) => AssistantProvider;
    fileStore?: (real: FileStore) => FileStore;
    providerDeadlineMs?: number;
    uploadDeadlineMs?: number;
    /** Default: 20 s. */
    processorMs?: number;
  } = {},
): Promise<UploadApp> {
  const fileStore = createMemoryFileStore();
  const { processorMs = 20_000 } = options;
  let warmUp: Promise<unknown> | undefined;
  const app = await startTestApp({
    replacements: { fileStore },
    routes: ({ provider, ...context }) => {
      const { db, readList, idempotency, logger } = context;
      const extractor = createExtractor({ concurrency: 2, memoryMb: 512, processorMs, logger });
      warmUp = extractor.extract({ type: 'txt', bytes: Buffer.from('Hello') }, { teamId: 'warm-up' });
      after(() => extractor.close());
      return [
        teamRoutes(context),
        deleteTeamRoutes(context),
        documentRoutes({
          db,
          readList,
          idempotency,
          extractor,
          fileStore: options.fileStore?.(fileStore) ?? fileStore,
          provider: options.provider?.(provider) ?? provider,
          providerDeadlineMs: options.providerDeadlineMs ?? 25_000,
          ...(options.uploadDeadlineMs === undefined ? {} : { uploadDeadlineMs: options.uploadDeadlineMs }),
          maxUploadBytes,
        }),
      ];
    },
  });
  await warmUp; // so that starting its processes does not delay an upload
  return {
    ...app,
    fileStore,
    async createTeam(quotas) {
      const user = { name: 'Ana', email: 'ana@example.com' };
      const team = { name: 'Harbour', ...(quotas === undefined ? {} : { quotas }) };
      return (await app.api('POST', '/teams', { body: { user, team } })).body.data.team.id;
    },
    upload: ({ teamId, name = 'rental.txt', content = 'Bicycles at the harbour.', chars }, callOptions) => {
      const body = new FormData();
      body.append('team_id', teamId);
      if (chars !== undefined) body.append('chars', chars);
      body.append('file', new Blob([content]), name);
      return app.api('POST', '/documents', { ...callOptions, body });
    },
  };
}
