import type { ApiOperation } from '../../server/test/openapi/operations.ts';

/** Why a declared status does not occur in a run; null when it should. */
export function whyUnreachable({ id }: ApiOperation, status: number): string | null {
  if (status === 500) return 'nothing outside fails in this run; failures are tested beside each operation';
  if (status === 503) return 'the service neither starts nor stops, and its database stays';
  if (status === 429 && id !== 'sendMessage') return 'the rate of requests is unlimited in this run';
  return null;
}
