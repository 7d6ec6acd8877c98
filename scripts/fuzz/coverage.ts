import type { ApiOperation } from '../../server/test/openapi/operations.ts';

/** Counts the statuses that each operation returned. */
export interface Coverage {
  count(operation: ApiOperation, status: number): void;
  /** Lists operations that succeed too rarely, and declared statuses that never occurred. */
  gaps(): string[];
  table(): string;
}

const minSuccessRate = 0.3;

/**
 * These need a link token, a message with a file, an answer or none, a member who is present, a pool, an action, or a network with
 * credentials and templates, which the generator does not create.
 */
const neverSucceed = new Set([
  'getLinkStatus',
  'getLinkBrand',
  'connectLink',
  'putLinkCredentials',
  'putDeviceCredentials',
  'createTemplate',
  'deleteTemplate',
  'getMessageMedia',
  'getMessageAnswer',
  'rateMessage',
  'answerConversation',
  'assignConversation',
  'drainPool',
  'tryBotAction',
]);

/**
 * Most bodies of connect ask for a pairing code, which the simulated network does not have. Half of those about contacts do not
 * name the team. The service of a run sends no mail, so links with an address fail. A bot has at most 3 runs that have not ended, and a gate refuses to
 * publish until its run has.
 */
const rarelySucceed = new Set([
  ...neverSucceed,
  'connectDevice',
  'putConsent',
  'importConsents',
  'updateContact',
  'createDeviceLink',
  'putBrand',
  'createRun',
  'publishBot',
]);

/**
 * Statuses that cannot occur in a run: nothing external fails, the service stays up, the rate is unlimited, and the keys have no
 * role that an operation refuses.
 */
const isUnreachable = ({ id, roles }: ApiOperation, status: number): boolean =>
  (neverSucceed.has(id) && status < 400) ||
  (status === 403 && roles.team.length > 0) ||
  status === 500 ||
  status === 503 ||
  (status === 429 && id !== 'sendMessage');

export function createCoverage(operations: readonly ApiOperation[]): Coverage {
  const counts = new Map(operations.map(({ id }) => [id, new Map<number, number>()]));
  const countOf = (id: string, status: number): number => counts.get(id)?.get(status) ?? 0;
  const total = (id: string): number => [...(counts.get(id)?.values() ?? [])].reduce((a, b) => a + b, 0);
  const successRate = (id: string): number => countOf(id, 200) / Math.max(total(id), 1);

  return {
    count: ({ id }, status) => counts.get(id)?.set(status, countOf(id, status) + 1),
    gaps: () =>
      operations.flatMap((operation) => [
        ...(successRate(operation.id) < minSuccessRate && !rarelySucceed.has(operation.id)
          ? [`${operation.id}: only ${percent(successRate(operation.id))} of its requests succeeded`]
          : []),
        ...operation.statuses
          .filter((status) => countOf(operation.id, status) === 0 && !isUnreachable(operation, status))
          .map((status) => `${operation.id}: never returned ${status}, which it declares`),
      ]),
    table: () => {
      const statuses = [...new Set([...counts.values()].flatMap((count) => [...count.keys()]))].sort();
      const rows = operations.map(({ id }) => [
        id,
        ...statuses.map((status) => String(countOf(id, status) || '')),
        String(total(id)),
        percent(successRate(id)),
      ]);
      return alignColumns([['operation', ...statuses.map(String), 'all', '2xx'], ...rows]);
    },
  };
}

const percent = (rate: number): string => `${Math.round(rate * 100)}%`;

function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const cell = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(cell).join('  ')).join('\n');
}
