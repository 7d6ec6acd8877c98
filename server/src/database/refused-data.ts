/** `data_exception`, `check_violation`, and `program_limit_exceeded`, as of a value too long for an index. */
const refusals = /^(22...|23514|54000)$/;

/** How PostgreSQL says that it will never take this data, without the data itself; null for any other failure. */
export function readDataRejection(error: unknown): { sqlState: string; reason: string } | null {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return refusals.test(code) ? { sqlState: code, reason: message } : null;
}
