/** data_exception, check_violation, and program_limit_exceeded, as of a value too long for an index */
const refusals = /^(22...|23514|54000)$/;

/** Returns why PostgreSQL rejects this data permanently, without the data itself; null for any other error. */
export function readDataRejection(error: unknown): { sqlState: string; reason: string } | null {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return refusals.test(code) ? { sqlState: code, reason: message } : null;
}
