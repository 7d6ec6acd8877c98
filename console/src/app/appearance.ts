import { createContext, useContext } from 'react';
import type { Theme } from './preferences.ts';

export const ThemeContext = createContext<{ theme: Theme; setTheme(theme: Theme): void }>({
  theme: 'system',
  setTheme: () => {},
});

export const useTheme = () => useContext(ThemeContext);
