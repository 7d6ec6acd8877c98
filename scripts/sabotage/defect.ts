/** A one-line mistake that a developer could make, and the test that must catch it. */
export interface Defect {
  /** In kebab case, as `--only` takes it. */
  name: string;
  /** Path from the root of the repository. */
  file: string;
  /** Must occur exactly once in the file. */
  find: string;
  replace: string;
  test: NamedTest;
  /** The consequence of the mistake. */
  why: string;
}

/** The tests of a file whose names contain `name`. For a test named by a template, give a literal part of the name. */
export interface NamedTest {
  file: string;
  name: string;
}

/** Returns the file's text with the mistake in it. Throws unless `find` occurs exactly once. */
export function withDefect({ name, file, find, replace }: Defect, text: string): string {
  const occurrences = text.split(find).length - 1;
  if (occurrences !== 1)
    throw new Error(`${name}: the text must occur once in ${file}, not ${occurrences} times: ${find}`);
  if (find === replace) throw new Error(`${name} changes nothing`);
  return text.replace(find, () => replace);
}
