import { Outlet, useMatchRoute } from '@tanstack/react-router';
import { SignInPage } from '../features/sign-in/sign-in-page.tsx';
import { Shell } from './shell.tsx';
import { useSession } from './use-session.ts';

/** The page for people who link a phone. It needs no session. */
export const linkPath = '/link';

export function SignedInFrame() {
  const session = useSession();
  const isLinkPage = useMatchRoute()({ to: linkPath }) !== false;
  if (isLinkPage) return <Outlet />;
  return session === null ? <SignInPage /> : <Shell />;
}
