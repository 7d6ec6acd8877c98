import type { Database } from '../../platform/database/database.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { timestampOrNull } from '../../platform/http/fields.ts';
import { operation, success } from '../../platform/http/operation.ts';
import { type Clock, toMonth } from '../../platform/shared/clock.ts';
import { createSharedRead } from '../../platform/shared/shared-read.ts';
import type { StorageWatch } from '../../platform/shared/storage-watch.ts';
import { type AttentionRow, selectAttention } from './attention.queries.ts';
import {
  Attention,
  type AttentionItem,
  AttentionQuery,
  attentionKinds,
  maxAttentionItems,
} from './attention.schemas.ts';

interface Dependencies {
  db: Database;
  clock: Pick<Clock, 'now'>;
  storage: Pick<StorageWatch, 'isLow'>;
}

/** Every open console of the partner asks after each event, and the answer reads all teams. */
const maxAgeMs = 2_000;

export const attentionRoutes =
  ({ db, clock, storage }: Dependencies): Routes =>
  (app) => {
    const read = (scope: Parameters<typeof selectAttention>[1], limit: number) =>
      selectAttention(db, scope, { month: toMonth(clock.now()), limit });
    const readAll = createSharedRead(() => read({ kind: 'all' }, maxAttentionItems), { maxAgeMs });

    app.get(
      '/api/openapi/v1/attention',
      operation({
        id: 'getAttention',
        summary: 'Count what needs attention, with the first items of each kind',
        description:
          'Contacts who asked for a person, messages that wait for an answer, devices without a connection for a minute, bots that were never published or changed a day ago, failing webhooks and documents, quotas used to 80%, and failures of AI providers. A key of scope `global` also sees pools without a lease and a disk that is nearly full; its answer may be 2 seconds old.',
        tag: 'Messages',
        access: 'anyKey',
        query: AttentionQuery,
        data: Attention,
        extension: true,
      }),
      async (request) => {
        const { scope } = requireActor(request);
        const { limit } = request.query;
        const rows = scope.kind === 'all' ? await readAll() : await read(scope, Math.max(limit, 1));
        const isDiskLow = scope.kind === 'all' && (await storage.isLow());
        return success(present(rows, limit, isDiskLow));
      },
    );
  };

function present(rows: readonly AttentionRow[], limit: number, isDiskLow: boolean): Attention {
  const byKind = Map.groupBy(rows, ({ kind }) => kind);
  const kinds = attentionKinds.flatMap((kind) => {
    const found = byKind.get(kind) ?? [];
    const items = kind === 'disk' && isDiskLow ? [lowDisk] : found.map(presentItem);
    const count = found[0]?.count ?? items.length;
    return count === 0 ? [] : [{ kind, count, items: items.slice(0, limit) }];
  });
  return { total: kinds.reduce((sum, { count }) => sum + count, 0), kinds };
}

const lowDisk: AttentionItem = {
  id: 'disk',
  team_id: null,
  team_name: null,
  name: 'disk',
  reason: null,
  since: null,
};

const presentItem = ({ since, used, limit, ...row }: AttentionRow): AttentionItem => ({
  id: row.id,
  team_id: row.team_id,
  team_name: row.team_name,
  name: row.name,
  reason: row.reason,
  since: timestampOrNull(since),
  ...(used === null || limit === null ? {} : { used, limit }),
});
