import { type InputIssue, maxIssues } from '../errors.ts';
import { isCut, pathOf } from './input-path.ts';

/**
 * Tells which text in a value cannot be kept, be it the name of a member, until there is more of it than is told: none
 * can hold a NUL, which PostgreSQL does not take, or half a surrogate pair, which UTF-8 cannot say. `told` are paths that
 * have a fault already, `unread` lists and objects that are not looked into.
 */
export function findTextIssues(
  value: unknown,
  { told, unread }: { told: ReadonlySet<string>; unread: ReadonlySet<unknown> },
): InputIssue[] {
  const issues: InputIssue[] = [];
  const names: (string | number)[] = [];

  const judge = (text: string) => {
    const message = faultOfText(text);
    if (message === null) return;
    const path = pathOf(names.map(String), '(body)').toWellFormed();
    if (!told.has(path) || isCut(path)) issues.push({ path, message });
  };

  // The path is written only where there is a fault: nearly all that is walked through has none.
  const walk = (part: unknown) => {
    if (typeof part === 'string') return judge(part);
    if (typeof part !== 'object' || part === null || Buffer.isBuffer(part) || unread.has(part)) return;
    if (Array.isArray(part)) walkItems(part);
    // What is no list is an object, which holds anything.
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
      judge(name);
      walk(members[name]);
      names.pop();
    }
  };

  walk(value);
  return issues;
}

function faultOfText(text: string): string | null {
  if (text.includes('\0')) return 'must not contain U+0000';
  return text.isWellFormed() ? null : 'must not contain half a surrogate pair';
}
