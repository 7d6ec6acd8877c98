import type { Locale } from './locales.ts';

/** A text, or a function that puts values into a text. */
type Message = string | ((...values: never[]) => string);
type MessageTree = { readonly [name: string]: Message | MessageTree };

type Translation<Tree> = {
  readonly [Name in keyof Tree]: Tree[Name] extends string
    ? string
    : Tree[Name] extends (...values: infer Values) => string
      ? (...values: Values) => string
      : Translation<Tree[Name]>;
};

export type Catalogue<Tree> = Readonly<Record<Locale, Translation<Tree>>>;

/** Text from right to left, and characters that change the direction of the text after them. */
const otherDirection = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufeff]/;

/** Keeps a name in its place. Otherwise it could turn around the words beside it. */
const isolate = (value: unknown): unknown =>
  typeof value === 'string' && otherDirection.test(value) ? `\u2068${value}\u2069` : value;

function isolateValues<Tree>(texts: Tree): Tree {
  const entries = Object.entries(texts as Record<string, unknown>).map(([name, text]) => {
    if (typeof text === 'function') return [name, (...values: unknown[]) => text(...values.map(isolate))];
    return [name, typeof text === 'object' ? isolateValues(text) : text];
  });
  return Object.fromEntries(entries) as Tree;
}

/** Defines the texts of a feature in every language. The English texts determine the names and the values. */
export function defineMessages<const Tree extends MessageTree>(
  en: Tree,
  others: Readonly<Record<Exclude<Locale, 'en'>, Translation<Tree>>>,
): Catalogue<Tree> {
  // The English texts have the shape that their own type describes.
  return isolateValues({ en: en as unknown as Translation<Tree>, ...others });
}
