import { createContext, useContext } from 'react';
import type { Catalogue } from './define-messages.ts';
import { createFormats, type Formats } from './formats.ts';
import type { Locale } from './locales.ts';

export interface LocaleChoice {
  locale: Locale;
  setLocale(locale: Locale): void;
  formats: Formats;
}

export const LocaleContext = createContext<LocaleChoice>({
  locale: 'en',
  setLocale: () => {},
  formats: createFormats('en'),
});

export const useLocale = (): LocaleChoice => useContext(LocaleContext);

/** Returns the texts in the chosen language. */
export function useMessages<Tree>(catalogue: Catalogue<Tree>): Catalogue<Tree>[Locale] {
  return catalogue[useLocale().locale];
}

export const useFormats = (): Formats => useContext(LocaleContext).formats;
