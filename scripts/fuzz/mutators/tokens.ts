import fc from 'fast-check';
import {
  type ApiOperation,
  collectionNamedBy,
  collectionOf,
} from '../../../server/test/openapi/operations.ts';
import { drawRequest } from '../../../server/test/openapi/requests.ts';
import { encodeRequest } from '../../../server/test/openapi/wire.ts';
import { referenceFields } from './bodies.ts';
import { allowedStatuses, type Mutator } from './mutator.ts';

const needsToken = ({ open }: ApiOperation) => !open;

/** No role of a team may call it. */
const needsGlobalKey = ({ roles }: ApiOperation) => roles.team.length === 0;

const unsigned = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');

const noToken: Mutator = {
  name: 'no token',
  applies: needsToken,
  mutate: ({ request }) => ({ wire: encodeRequest(request, null), expect: [401] }),
};

const badToken: Mutator = {
  name: 'bad token',
  applies: needsToken,
  mutate({ request, draw, resources }) {
    const { global, inactive } = resources.tokens;
    const [head = '', claims = '', signature = ''] = global.split('.');
    const authorization = draw(
      fc.constantFrom(
        `Bearer ${inactive}`,
        `Bearer ${head}.${claims}.${changeFirstCharacter(signature)}`,
        `Bearer ${head}.${claims}.`,
        `Bearer ${unsigned}.${claims}.`,
        `Bearer ${unsigned}.${claims}.c2lnbmF0dXJl`,
        `Bearer ${global}.${global}`,
        `Basic ${global}`,
        `Bearer \t${global}`,
        global,
        'Bearer',
        'Bearer ',
        `Bearer ${'x'.repeat(8000)}`,
        'Bearer \u00ff\u00fe',
      ),
    );
    const wire = encodeRequest(request, null);
    return { wire: { ...wire, headers: ['authorization', authorization, ...wire.headers] }, expect: [401] };
  },
};

/** Changes the first character, so that the bytes of a signature change. */
const changeFirstCharacter = (text: string): string => `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`;

const wrongSecret: Mutator = {
  name: 'wrong secret',
  applies: ({ id }) => id === 'createAccessToken',
  mutate: ({ request }) => ({
    wire: encodeRequest(
      { ...request, body: { key_id: 'pk_none_of_this_name', key_secret: 'sk_none' } },
      null,
    ),
    expect: [401],
  }),
};

const keyOfOneTeam: Mutator = {
  name: 'key of one team',
  applies: needsToken,
  mutate: ({ request, resources }) => ({
    wire: encodeRequest(request, resources.tokens.team),
    expect: needsGlobalKey(request.operation) ? [403] : [...allowedStatuses(request.operation), 403],
  }),
};

const ownTeamRaised: Mutator = {
  name: 'key of one team raises its own team',
  applies: ({ id }) => id === 'updateTeam',
  mutate({ request, resources, draw }) {
    const body = draw(
      fc.constantFrom<object>(
        { paying: true },
        { banned: false },
        { plan_name: 'fuzz' },
        { quotas: { bots: 9 } },
      ),
    );
    const path = { id: resources.targets.home['teams'] ?? '' };
    return {
      wire: encodeRequest({ ...request, path, query: [], body }, resources.tokens.team),
      expect: [403],
    };
  },
};

const otherTeamInPath: Mutator = {
  name: "another team's object in the path",
  applies: (operation) => needsToken(operation) && operation.path.includes('{id}'),
  mutate({ request, resources }) {
    const collection = collectionOf(request.operation, 'id');
    const path = { ...request.path, id: resources.targets.otherTeam[collection] ?? crypto.randomUUID() };
    return {
      wire: encodeRequest({ ...request, path }, resources.tokens.team),
      // The key's scope is checked before the team's existence.
      expect: needsGlobalKey(request.operation)
        ? [403]
        : request.operation.id === 'updateTeam'
          ? [403, 404]
          : [404],
    };
  },
};

const otherTeamInBody: Mutator = {
  name: "another team's object in the body",
  applies: (operation) =>
    needsToken(operation) && !needsGlobalKey(operation) && referenceFields(operation).length > 0,
  mutate({ request, resources, draw }) {
    const name = draw(fc.constantFrom(...referenceFields(request.operation)));
    const id = resources.targets.otherTeam[collectionNamedBy(name) ?? ''] ?? crypto.randomUUID();
    // Operations with references take an object.
    const body = { ...(request.body as object), [name]: name.endsWith('s') ? [id] : id };
    return { wire: encodeRequest({ ...request, body }, resources.tokens.team), expect: [400, 404] };
  },
};

/** A plan without active messages returns 403, an exhausted quota 429. */
const sendingFrom = (target: 'withoutMessaging' | 'exhausted', status: number): Mutator => ({
  name: `sending from a team: ${target}`,
  applies: ({ path }) => path.endsWith('/v1/send'),
  mutate({ request, resources, draw }) {
    const fromTarget = drawRequest(request.operation, resources.targets[target], draw, []);
    return { wire: encodeRequest(fromTarget, resources.tokens.global), expect: [status] };
  },
});

export const tokenMutators: readonly Mutator[] = [
  noToken,
  wrongSecret,
  keyOfOneTeam,
  badToken,
  ownTeamRaised,
  otherTeamInPath,
  otherTeamInBody,
  sendingFrom('withoutMessaging', 403),
  sendingFrom('exhausted', 429),
];
