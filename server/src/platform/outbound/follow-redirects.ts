interface Answer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

export const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

/**
 * Calls the address, then the addresses that its responses redirect to. Every call must check its address by itself. Returns the
 * first response that is no redirect, leads nowhere or is not to be followed.
 */
export async function followRedirects<Response extends Answer>(
  address: string,
  call: (address: string) => Promise<Response>,
  { max, mayFollow = () => true }: { max: number; mayFollow?: (target: URL) => boolean },
): Promise<Response> {
  let current = address;
  for (let followed = 0; ; followed += 1) {
    const response = await call(current);
    const { location } = response.headers;
    if (!isRedirect(response.status) || typeof location !== 'string') return response;
    if (followed === max || !URL.canParse(location, current)) return response;
    const target = new URL(location, current);
    if (!mayFollow(target)) return response;
    current = target.href;
  }
}
