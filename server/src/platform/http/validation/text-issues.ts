import { type InputIssue, maxIssues } from '../errors.ts';
import { formatPath, isTruncated } from './input-path.ts';

/**
 * Finds strings and member names that cannot be stored: PostgreSQL rejects U+0000, and UTF-8 cannot encode half a
 * surrogate pair. Stops after one issue more than a response reports. Skips paths in `reported` and objects in `skipped`.
 */
export function findTextIssues(
  value: unknown,
  { reported, skipped }: { reported: ReadonlySet<string>; skipped: ReadonlySet<unknown> },
): InputIssue[] {
  const issues: InputIssue[] = [];
  const names: (string | number)[] = [];

  const check = (text: string) => {
    const message = findProblem(text);
    if (message === null) return;
    const path = formatPath(names.map(String), '(body)').toWellFormed();
    if (!reported.has(path) || isTruncated(path)) issues.push({ path, message });
  };

  const walk = (part: unknown) => {
    if (typeof part === 'string') return check(part);
    if (typeof part !== 'object' || part === null || Buffer.isBuffer(part) || skipped.has(part)) return;
    if (Array.isArray(part)) walkItems(part);
    else walkMembers(part as Readonly<Record<string, unknown>>);
  };

  const walkItems = (list: readonly unknown[]) => {
    for (let index = 0; index < list.length && issues.length <= maxIssues; index += 1) {
      names.push(index);
      walk(list[index]);
      names.pop();
    }
  };

  const walkMembers = (members: Readonly<Record<string, unknown>>) => {
    for (const name of Object.keys(members)) {
      if (issues.length > maxIssues) return;
      names.push(name);
      check(name);
      walk(members[name]);
      names.pop();
    }
  };

  walk(value);
  return issues;
}

function findProblem(text: string): string | null {
  if (text.includes('\0')) return 'must not contain U+0000';
  return text.isWellFormed() ? null : 'must not contain half a surrogate pair';
}
