/** A mistake of one line that somebody could make, and the test that has to notice it. */
export interface Defect {
  /** In lower case with hyphens: what `--only` takes. */
  name: string;
  /** From the root of the tree. */
  file: string;
  /** Stands exactly once in the file. */
  find: string;
  replace: string;
  test: NamedTest;
  /** What would go wrong, and for whom. */
  why: string;
}

/** The tests of a file in whose names `name` stands; for a test named by a template, a part that is written out. */
export interface NamedTest {
  file: string;
  name: string;
}

/** The file's text with the mistake in it. Throws when there is not exactly one place for it. */
export function withDefect({ name, file, find, replace }: Defect, text: string): string {
  const places = text.split(find).length - 1;
  if (places !== 1) throw new Error(`${name}: its text stands ${places} times in ${file}, not once: ${find}`);
  if (find === replace) throw new Error(`${name} changes nothing`);
  return text.replace(find, () => replace);
}
