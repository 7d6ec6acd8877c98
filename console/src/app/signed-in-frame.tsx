import { Outlet, useMatchRoute } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { SignInPage } from '../features/sign-in/sign-in-page.tsx';
import { useSession } from './use-session.ts';

/** Not needed to sign in, so that the form appears sooner. */
const Shell = lazy(async () => ({ default: (await import('./shell.tsx')).Shell }));

/** The page for people who link a phone. It needs no session. */
export const linkPath = '/link';

export function SignedInFrame() {
  const session = useSession();
  const isLinkPage = useMatchRoute()({ to: linkPath }) !== false;
  if (isLinkPage) return <Outlet />;
  if (session === null) return <SignInPage />;
  return (
    <Suspense>
      <Shell />
    </Suspense>
  );
}
