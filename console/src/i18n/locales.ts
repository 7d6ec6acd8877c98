export const locales = ['en', 'es', 'pt', 'de'] as const;
export type Locale = (typeof locales)[number];

/** Each language in its own words. */
export const localeNames: Record<Locale, string> = {
  en: 'English',
  es: 'Español',
  pt: 'Português',
  de: 'Deutsch',
};

const isLocale = (value: string): value is Locale => locales.some((locale) => locale === value);

/** Returns the first of `wanted` (BCP 47 tags) that the console speaks, or English. */
export function pickLocale(wanted: readonly string[]): Locale {
  return wanted.map((tag) => tag.toLowerCase().split('-')[0] ?? '').find(isLocale) ?? 'en';
}
