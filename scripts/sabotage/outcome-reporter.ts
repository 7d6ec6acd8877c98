import type { TestEvent } from 'node:test/reporters';

/** What became of one test; `assertion`: it failed because something was not as the test says. */
export interface TestOutcome {
  name: string;
  passed: boolean;
  assertion: boolean;
  message: string;
}

/** A reporter for `--test-reporter`: a line of JSON for every test, none for suites and skipped tests. */
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

/** The runner wraps what a test threw, and so do those who generate cases. */
function isAssertion(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === 'ERR_ASSERTION') || isAssertion(error.cause);
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return error === undefined ? '' : String(error);
  return error.cause instanceof Error ? messageOf(error.cause) : error.message;
}
