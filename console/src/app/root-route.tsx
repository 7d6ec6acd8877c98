import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext } from '@tanstack/react-router';
import { ErrorPage } from './error-page.tsx';
import { NotFoundPage } from './not-found-page.tsx';
import { SignedInFrame } from './signed-in-frame.tsx';

/** Without a session it shows the sign-in form at any address, so that a link still leads to its page after signing in. */
export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: SignedInFrame,
  notFoundComponent: NotFoundPage,
  errorComponent: ErrorPage,
});
