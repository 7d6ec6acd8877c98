import { computeMedians, defaultConnections as connections, measurePairs } from '../rig/measure.ts';
import { type ParleyProcess, startParley } from '../rig/parley-process.ts';
import type { Rig } from '../rig/rig.ts';
import type { FigureRow } from './row.ts';

const sameOrigin = { 'sec-fetch-site': 'same-origin' };

/** Compares a person's cookie with an access token, in one process. */
export const cookie: FigureRow = {
  name: 'cookie',
  work: 'GET /devices/{id} with the cookie of a person, relative to an access token',
  async measure(rig: Rig) {
    const { environment, generator, effort } = rig;
    await using ends = new AsyncDisposableStack();
    const server = await startParley({ ...rig, deployment: environment, log: 'cookie', roles: 'api' });
    ends.defer(() => server.stop());
    const paths = environment.deviceIds.map((id) => `/api/openapi/v1/devices/${id}`);
    const target = (headers: Record<string, string>) => ({
      server,
      connections,
      request: { method: 'GET' as const, paths, headers },
    });
    const pairs = await measurePairs(
      generator,
      {
        floor: target({ authorization: `Bearer ${server.token}` }),
        parley: target({ ...sameOrigin, cookie: await signIn(server) }),
      },
      effort,
    );
    const { ratio, cpuRatio } = computeMedians(pairs);
    return [
      { figure: 'requests per second', value: ratio, unit: 'x' },
      ...(cpuRatio === null
        ? []
        : [{ figure: 'CPU per request', value: cpuRatio, unit: 'x', goal: { atMost: 1.1 } }]),
    ];
  },
};

/** Invites somebody to the partner's staff, who accepts. Returns the cookie. */
async function signIn({ url, token }: ParleyProcess): Promise<string> {
  const post = (path: string, headers: Record<string, string>, body: object) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const invited = await post(
    '/api/openapi/v1/users',
    { authorization: `Bearer ${token}` },
    { name: 'Bench', email: 'bench@example.com', role: 'owner' },
  );
  const { data } = (await invited.json()) as { data: { invitation_url: string } };
  const accepted = await post('/api/openapi/session/invitation/accept', sameOrigin, {
    token: new URL(data.invitation_url).hash.slice(1),
    password: 'four random words',
  });
  const set = accepted.headers.get('set-cookie');
  if (set === null) throw new Error(`signing in failed: ${accepted.status} ${await accepted.text()}`);
  return set.split(';')[0] ?? '';
}
