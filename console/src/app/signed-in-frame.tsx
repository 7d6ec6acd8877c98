import { Outlet, useLocation } from '@tanstack/react-router';
import { lazyPage } from '../components/lazily.tsx';

/** Not needed by the pages of links, so that they appear sooner. */
const Shell = lazyPage(() => import('./shell.tsx'), 'Shell');

/** The page for people who link a phone. */
export const linkPath = '/link';

/** Pages of links, which need no session. */
export const guestPaths: readonly string[] = [
  linkPath,
  '/setup',
  '/invitation',
  '/enter',
  '/reset',
  '/sign-in/oidc',
];

export function SignedInFrame() {
  const pathname = useLocation({ select: (location) => location.pathname });
  if (guestPaths.includes(pathname)) return <Outlet />;
  return <Shell />;
}
