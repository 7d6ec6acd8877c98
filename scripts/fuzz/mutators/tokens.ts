import fc from 'fast-check';
import {
  type ApiOperation,
  collectionNamedBy,
  collectionOf,
} from '../../../server/test/openapi/operations.ts';
import { drawRequest } from '../../../server/test/openapi/requests.ts';
import { encodeRequest } from '../../../server/test/openapi/wire.ts';
import { type Mischief, outcomesOf } from './mischief.ts';

const guarded = ({ open }: ApiOperation) => !open;

/** 403 comes from the members of its body, not from its route. */
const refusesMembers = new Set(['updateTeam', 'sendMessage']);
const isAboveTeams = ({ id, statuses }: ApiOperation) => statuses.includes(403) && !refusesMembers.has(id);

const unsigned = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');

const noToken: Mischief = {
  name: 'no token',
  applies: guarded,
  commit: ({ request }) => ({ wire: encodeRequest(request, null), expect: [401] }),
};

const badToken: Mischief = {
  name: 'bad token',
  applies: guarded,
  commit({ request, draw, world }) {
    const { global, dead } = world.tokens;
    const [head = '', claims = '', signature = ''] = global.split('.');
    const authorization = draw(
      fc.constantFrom(
        `Bearer ${dead}`,
        `Bearer ${head}.${claims}.${withAnotherStart(signature)}`,
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

/** Another text than the one given: of a signature, one that stands for other bytes. */
const withAnotherStart = (text: string): string => `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`;

const wrongSecret: Mischief = {
  name: 'wrong secret',
  applies: ({ open }) => open,
  commit: ({ request }) => ({
    wire: encodeRequest(
      { ...request, body: { key_id: 'pk_none_of_this_name', key_secret: 'sk_none' } },
      null,
    ),
    expect: [401],
  }),
};

const keyOfOneTeam: Mischief = {
  name: 'key of one team',
  applies: guarded,
  commit: ({ request, world }) => ({
    wire: encodeRequest(request, world.tokens.team),
    expect: isAboveTeams(request.operation) ? [403] : [...outcomesOf(request.operation), 403],
  }),
};

const raisingItself: Mischief = {
  name: 'key of one team raises its own team',
  applies: ({ id }) => id === 'updateTeam',
  commit({ request, world, draw }) {
    const body = draw(
      fc.constantFrom<object>(
        { paying: true },
        { banned: false },
        { plan_name: 'fuzz' },
        { quotas: { bots: 9 } },
      ),
    );
    const path = { id: world.places.home['teams'] ?? '' };
    return { wire: encodeRequest({ ...request, path, query: [], body }, world.tokens.team), expect: [403] };
  },
};

const elsewhereInPath: Mischief = {
  name: "another team's object in the path",
  applies: (operation) => guarded(operation) && operation.path.includes('{id}'),
  commit({ request, world }) {
    const collection = collectionOf(request.operation, 'id');
    const path = { ...request.path, id: world.places.elsewhere[collection] ?? crypto.randomUUID() };
    return {
      wire: encodeRequest({ ...request, path }, world.tokens.team),
      // What the key may not change is told before whether there is such a team.
      expect: isAboveTeams(request.operation)
        ? [403]
        : request.operation.id === 'updateTeam'
          ? [403, 404]
          : [404],
    };
  },
};

const elsewhereInBody: Mischief = {
  name: "another team's object in the body",
  applies: (operation) => guarded(operation) && !isAboveTeams(operation) && references(operation).length > 0,
  commit({ request, world, draw }) {
    const name = draw(fc.constantFrom(...references(request.operation)));
    const id = world.places.elsewhere[collectionNamedBy(name) ?? ''] ?? crypto.randomUUID();
    // Operations with references take an object.
    const body = { ...(request.body as object), [name]: name.endsWith('s') ? [id] : id };
    return { wire: encodeRequest({ ...request, body }, world.tokens.team), expect: [400, 404] };
  },
};

const references = ({ body }: ApiOperation): string[] =>
  Object.keys(body?.properties ?? {}).filter((name) => collectionNamedBy(name) !== null);

/** The place decides: what is not in the plan is 403, what is used up 429. */
const sendingFrom = (place: 'unentitled' | 'spent', status: number): Mischief => ({
  name: `sending from a team that is ${place}`,
  applies: ({ path }) => path.endsWith('/v1/send'),
  commit({ request, world, draw }) {
    const again = drawRequest(request.operation, world.places[place], draw, []);
    return { wire: encodeRequest(again, world.tokens.global), expect: [status] };
  },
});

export const tokenMischief: readonly Mischief[] = [
  noToken,
  wrongSecret,
  keyOfOneTeam,
  badToken,
  raisingItself,
  elsewhereInPath,
  elsewhereInBody,
  sendingFrom('unentitled', 403),
  sendingFrom('spent', 429),
];
