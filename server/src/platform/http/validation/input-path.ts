import { takeStart } from '../../shared/cut-text.ts';

const maxPathLength = 200;

/** Formats a path like `questions[0].answer`. Returns `rootName` if the path is empty. */
export function formatPath(names: readonly string[], rootName: string): string {
  // Truncates names before joining them, because a name can be as long as a body.
  const path = names.map((name) => takeStart(name, maxPathLength + 2)).reduce(appendName, '');
  if (path === '') return rootName;
  return path.length > maxPathLength ? `${takeStart(path, maxPathLength - 1)}…` : path;
}

/** Different truncated paths can be equal. */
export const isTruncated = (path: string): boolean => path.length === maxPathLength && path.endsWith('…');

function appendName(path: string, name: string): string {
  if (/^\d+$/.test(name)) return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
}
