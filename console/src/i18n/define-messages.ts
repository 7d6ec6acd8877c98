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

/** Defines the texts of a feature in every language. The English texts determine the names and the values. */
export function defineMessages<const Tree extends MessageTree>(
  en: Tree,
  others: Readonly<Record<Exclude<Locale, 'en'>, Translation<Tree>>>,
): Catalogue<Tree> {
  // The English texts have the shape that their own type describes.
  return { en: en as unknown as Translation<Tree>, ...others };
}
