import type { TestEvent } from 'node:test/reporters';

/** The result of one test. `assertion` is true when an assertion failed, not when the test threw another error. */
export interface TestOutcome {
  name: string;
  passed: boolean;
  assertion: boolean;
  message: string;
}

/** A reporter for `--test-reporter`: prints one line of JSON per test, and none for suites and skipped tests. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { name, details, skip } = event.data;
    if (details.type === 'suite' || skip !== undefined) continue;
    const error = event.type === 'test:fail' ? event.data.details.error : undefined;
    const outcome: TestOutcome = {
      name,
      passed: error === undefined,
      assertion: isAssertion(error),
      message: messageOf(error),
    };
    yield `${JSON.stringify(outcome)}\n`;
  }
}

/** The test runner and fast-check wrap the original error. */
function isAssertion(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === 'ERR_ASSERTION') || isAssertion(error.cause);
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return error === undefined ? '' : String(error);
  return error.cause instanceof Error ? messageOf(error.cause) : error.message;
}
