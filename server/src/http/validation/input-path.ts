/** Code units of a path that are told; nothing that a schema knows is as deep. */
const maxPath = 200;

/** A path of members as it is told: `user.email`, `questions[0].answer`. `whole` is what has no path of its own. */
export function pathOf(names: readonly string[], whole: string): string {
  // Cut before they are joined too: a name can be as long as a body.
  const path = names.map((name) => name.slice(0, maxPath + 1)).reduce(joined, '');
  if (path === '') return whole;
  return path.length > maxPath ? `${path.slice(0, maxPath - 1).toWellFormed()}…` : path;
}

/** Another path may have been cut to the same. */
export const isCut = (path: string): boolean => path.length === maxPath && path.endsWith('…');

function joined(path: string, name: string): string {
  if (/^\d+$/.test(name)) return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
}
