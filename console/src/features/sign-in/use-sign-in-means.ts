import type { SignInMeans } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { people } from '../../api/client.ts';

/** How people can sign in here. Undefined until the service has said so. */
export const useSignInMeans = (): SignInMeans | undefined =>
  useQuery({
    queryKey: ['sign-in-means'],
    queryFn: ({ signal }) => people.getSignInMeans(undefined, { signal }),
  }).data;
