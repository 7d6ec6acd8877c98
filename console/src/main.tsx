import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, useEffect, useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { resumeSession } from './api/client.ts';
import { getSession, isPortal, subscribeToSession } from './api/session.ts';
import { ThemeContext } from './app/appearance.ts';
import { loadLocale, loadTheme, storeLocale, storeTheme, type Theme } from './app/preferences.ts';
import { queryClient, router } from './app/router.ts';
import { guestPaths } from './app/signed-in-frame.tsx';
import { useSession } from './app/use-session.ts';
import { lazyPage } from './components/lazily.tsx';
import { ToastArea } from './components/ui/toast.tsx';
import { SignInPage } from './features/sign-in/sign-in-page.tsx';
import { createFormats } from './i18n/formats.ts';
import type { Locale } from './i18n/locales.ts';
import { LocaleContext } from './i18n/use-locale.ts';
import { loadChunk } from './lib/load-chunk.ts';
import './styles.css';

function Console({ initialTheme, initialLocale }: { initialTheme: Theme; initialLocale: Locale }) {
  const [theme, setTheme] = useState(initialTheme);
  const [locale, setLocale] = useState(initialLocale);
  useEffect(() => {
    document.documentElement.lang = locale;
  }, [locale]);
  const themeChoice = useMemo(
    () => ({
      theme,
      setTheme(chosen: Theme) {
        storeTheme(chosen);
        setTheme(chosen);
      },
    }),
    [theme],
  );
  const localeChoice = useMemo(
    () => ({
      locale,
      formats: createFormats(locale),
      setLocale(chosen: Locale) {
        storeLocale(chosen);
        setLocale(chosen);
      },
    }),
    [locale],
  );
  return (
    <CSPProvider disableStyleElements>
      <ThemeContext value={themeChoice}>
        <LocaleContext value={localeChoice}>
          <QueryClientProvider client={queryClient}>
            <ToastArea>
              <Pages />
            </ToastArea>
          </QueryClientProvider>
        </LocaleContext>
      </ThemeContext>
    </CSPProvider>
  );
}

const PortalPage = lazyPage(() => import('./features/portal/portal-page.tsx'), 'PortalPage');

/** Without a session it shows the sign-in form at any address, so that a link still leads to its page after signing in. */
function Pages() {
  const isSignedIn = useSession() !== null;
  const isGuest = guestPaths.includes(location.pathname.slice('/console'.length));
  if (isSignedIn || isGuest) return <RouterProvider router={router} />;
  return isPortal ? <PortalPage /> : <SignInPage />;
}

// The data of one actor must not be shown to the next.
subscribeToSession(() => {
  if (getSession() === null) queryClient.clear();
  else void dropDraftsOfOthers();
});
if (getSession() !== null) void dropDraftsOfOthers();

async function dropDraftsOfOthers(): Promise<void> {
  const drafts = await loadChunk(() => import('./app/drafts.ts'));
  drafts.dropDraftsOfOthers();
}

// A link signs in somebody, or needs nobody. The person of the cookie is not the one in the portal.
if (!isPortal && getSession() === null && location.hash === '') await resumeSession();

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <Console initialTheme={loadTheme()} initialLocale={loadLocale()} />
    </StrictMode>,
  );
}
