/** Moves the unreleased changes of a changelog under a version. Returns the new text, and the changes. */
export function releaseNotes(
  changelog: string,
  version: string,
  date: string,
): { text: string; notes: string } {
  const heading = '## [Unreleased]';
  const [before, after] = changelog.split(`${heading}\n`);
  if (before === undefined || after === undefined) throw new Error(`The changelog has no section ${heading}`);
  const next = after.search(/^## \[/m);
  const notes = (next < 0 ? after : after.slice(0, next)).trim();
  if (notes === '') throw new Error('The changelog lists no unreleased changes');
  const rest = next < 0 ? '' : `\n${after.slice(next)}`;
  return {
    text: `${before}${heading}\n\n## [${version}] - ${date}\n\n${notes}\n${rest}`,
    notes: `${notes}\n`,
  };
}
