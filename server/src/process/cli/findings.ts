import { withDeadline } from '../../platform/shared/deadline.ts';

export interface Finding {
  name: string;
  status: 'ok' | 'warning' | 'failed';
  detail: string;
  /** The operator's next step. */
  fix?: string;
}

export interface Check {
  name: string;
  /** The operator's next step if it fails. */
  fix?: string;
  /** Returns the good news or a warning. Rejects with the problem. */
  run(signal: AbortSignal): Promise<string | { warning: string; fix: string }>;
}

const deadlineMs = 15_000;

/** Runs the checks one after the other and reports each at once. */
export async function runChecks(
  checks: readonly Check[],
  report: (finding: Finding) => void,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const check of checks) {
    const finding = await runCheck(check);
    report(finding);
    findings.push(finding);
  }
  return findings;
}

async function runCheck({ name, fix, run }: Check): Promise<Finding> {
  try {
    const result = await withDeadline(deadlineMs, run);
    if (typeof result === 'string') return { name, status: 'ok', detail: result };
    return { name, status: 'warning', detail: result.warning, fix: result.fix };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { name, status: 'failed', detail, ...(fix === undefined ? {} : { fix }) };
  }
}
