import { type Locale, locales, pickLocale } from '../i18n/locales.ts';
import { browserStorage } from '../lib/storage.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const themeKey = 'console-theme';
const localeKey = 'console-locale';
const soundKey = 'console-sound';

/** Applies the stored theme before the first paint, and returns it. */
export function loadTheme(): Theme {
  const stored = browserStorage.getItem(themeKey);
  const theme = themes.find((choice) => choice === stored) ?? 'system';
  applyTheme(theme);
  return theme;
}

export function storeTheme(theme: Theme): void {
  browserStorage.setItem(themeKey, theme);
  applyTheme(theme);
}

function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset['theme'];
  else dataset['theme'] = theme;
}

export function loadLocale(): Locale {
  const stored = browserStorage.getItem(localeKey);
  return locales.find((locale) => locale === stored) ?? pickLocale(navigator.languages);
}

export function storeLocale(locale: Locale): void {
  browserStorage.setItem(localeKey, locale);
}

export const loadSound = (): boolean => localStorage.getItem(soundKey) !== 'off';

export function storeSound(on: boolean): void {
  localStorage.setItem(soundKey, on ? 'on' : 'off');
}
