import fc from 'fast-check';
import type { Draw } from './draw.ts';
import { oneOf } from './draw.ts';
import { type ApiOperation, collectionNamedBy } from './operations.ts';
import type { SampleValues } from './values.ts';

/** An existing id for each collection (`teams`, `bots`). */
export type References = Readonly<Record<string, string | undefined>>;

const validValues: Readonly<Record<string, readonly unknown[]>> = {
  timezone: ['UTC', 'Europe/Lisbon', 'America/Sao_Paulo'],
  locale: ['en', 'pt-BR', 'zh-Hans'],
  plan_name: ['starter', 'pro', 'enterprise'],
  /** At least 1, because the administrator counts as a member. */
  members: [1, 5, 2_147_483_647],
  endpoint: ['https://api.example.com/orders/{{order}}', 'http://example.org/?q={{q}}#top'],
  headers: [{}, { key: 'X-Shop', value: 'harbour' }, { Authorization: 'Bearer x', 'X-Two': '' }],
  /** The enabled networks that every other operation works on. */
  network: ['simulator'],
  /** Capitals come back as small letters. */
  color: ['#0b5cad', '#ffee00'],
  image_url: [null],
  picture: [null],
  image_mime_type: [null],
  /** True requires a speech adapter. */
  send_as_audio: [false],
  url: ['https://hooks.example.com/parley'],
  /** The pattern alone also accepts the empty text. */
  token: ['kVb3x9_Qm-7'],
  /** The pattern alone also accepts a single +. */
  contact_number: ['+15550199'],
  /** Off needs a reason. */
  disclosure: [null, { mode: 'first_reply', after_days: 90 }, { mode: 'off', reason: 'Tests' }],
  csv: ['number,state\n+15550199,out', 'number;state;proof\n+15550199;in;"a form; on paper"'],
  events: [['*'], ['message.received', 'team.deleted']],
  types: ['message.received,team.deleted'],
  /** Only the service issues cursors. */
  after: [''],
};

const dayFromNow = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** Days of a range, in order. */
const validDays: Readonly<Record<string, () => readonly string[]>> = {
  since: () => [dayFromNow(-40), dayFromNow(-3)],
  until: () => [dayFromNow(-2), dayFromNow(1)],
};

/** Returns a function that chooses values with a meaning beyond the schema, such as ids of existing objects. */
export const createSampleValues =
  (references: References): SampleValues =>
  (name, schema, draw) => {
    const values = schema.maxLength === 10 ? validDays[name]?.() : validValues[name];
    if (values !== undefined) return oneOf(draw, values);
    const id = references[collectionNamedBy(name) ?? ''];
    if (id !== undefined) return schema.type === 'array' ? draw(fc.subarray([id])) : id;
    if (name === 'body' && schema.type === 'array') return drawActionBody(draw);
    return undefined;
  };

/** Keys must be unique and values must match their declared types. */
const drawActionBody = (draw: Draw): unknown =>
  draw(
    fc.subarray([
      { key: 'order', value: '' },
      { key: 'amount', value: '12.5', type: 'number' },
      { key: 'note', value: 'for {{name}}', type: 'string' },
      { key: 'paid', value: 'true', type: 'boolean' },
    ]),
  );

type JsonBody = Record<string, unknown>;

/** An action is signed exactly if it has a secret, and describes only values that a model fills in. */
function fitActions(body: JsonBody): JsonBody {
  if (!Array.isArray(body['actions'])) return body;
  const signing = { signing_secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`, signed: true };
  const actions = body['actions'].map(
    ({ signing_secret, signed: _, parameters, ...action }: JsonBody): JsonBody => {
      const [parameter] = Array.isArray(parameters) ? parameters : [];
      const items = Array.isArray(action['body']) ? action['body'] : [];
      const filled = parameter === undefined ? [] : items.filter(({ value }) => value === '');
      return {
        ...action,
        ...(signing_secret === undefined ? {} : signing),
        ...(parameters === undefined
          ? {}
          : { parameters: filled.map(({ key }) => ({ ...parameter, name: key })) }),
      };
    },
  );
  return { ...body, actions };
}

const openOnMonday = {
  week: {
    monday: [{ from: '09:00', until: '18:00' }],
    tuesday: [],
    wednesday: [],
    thursday: [],
    friday: [],
    saturday: [],
    sunday: [],
  },
  exceptions: [{ date: '2026-12-24', times: [] }],
  text: 'We are closed.',
};

/** Only a device of a website takes its settings. */
const ofDefaultNetwork = ({ web_chat: _, ...body }: JsonBody): JsonBody => body;

/** The contact speaks last, and each check has the member that its kind needs. */
const drawCase = (draw: Draw): JsonBody => ({
  messages: [{ role: 'contact', text: draw(fc.constantFrom('When do you open?', '¿Cuándo abren?')) }],
  checks: draw(
    fc.subarray([{ kind: 'silent' }, { kind: 'contains', text: 'nine' }, { kind: 'max_ms', value: 9000 }]),
  ),
});

/** Rules between the fields of a request body, by operation id. */
const bodyRules: Readonly<Record<string, (body: JsonBody, references: References, draw: Draw) => JsonBody>> =
  {
    createAccessToken: (_, { keys, secrets }) => ({ key_id: keys, key_secret: secrets }),
    createApiKey: ({ scope: _, team_id: __, role: ___, ...key }, { teams }, draw) => ({
      ...key,
      ...draw(
        fc.constantFrom<JsonBody>(
          {},
          { scope: 'global', role: 'admin' },
          { scope: 'team', team_id: teams },
          { scope: 'team', team_id: teams, role: 'viewer' },
        ),
      ),
    }),
    createCase: ({ message_id: _, ...body }, __, draw) => ({ ...body, ...drawCase(draw) }),
    importCases: (_, __, draw) => ({
      csv: draw(fc.constantFrom('question,contains\nWhen do you open?,nine|ten', 'question;silent\nHi;yes')),
    }),
    updateCase: (body, _, draw) => ({ ...body, ...drawCase(draw) }),
    /** The bots have no published version when they are created. */
    createRun: () => ({}),
    /** Times follow each other, and dates exist. */
    putHours: (_, __, draw) => draw(fc.constantFrom({}, { hours: openOnMonday })),
    putGate: (body) => ({ ...body, sources: ['cases'] }),
    putSavedReplies: ({ replies, ...body }) => ({
      ...body,
      replies: (replies as JsonBody[]).map((reply, index) => ({ ...reply, name: `reply ${index}` })),
    }),
    /** Only some networks have templates, and neither can be combined with everything. */
    sendMessage: ({ template: _, choices: __, ...body }) => body,
    /** An example for each variable. */
    createTemplate: ({ examples: _, ...body }) => ({ ...body, body: 'Your order is ready.' }),
    createDevice: ofDefaultNetwork,
    updateDevice: ofDefaultNetwork,
    createBot: fitActions,
    updateBot: fitActions,
    /** A webhook of all teams is not visible to a key of a team. */
    createWebhook: (webhook, { teams }) => ({ ...webhook, team_id: teams }),
    replayWebhook: () => ({ since: '2026-01-01T00:00:00.000Z' }),
    renameDocument: (_, __, draw) => ({
      name: `${draw(fc.stringMatching(/^[a-zé字][a-zé字 ]{0,20}[a-z]$/))}.txt`,
    }),
  };

export function applyBodyRules(
  operation: Pick<ApiOperation, 'id'>,
  body: unknown,
  references: References,
  draw: Draw,
): unknown {
  // All bodies are objects. Only the service knows when an object changed.
  const { expected_updated_at: _, ...members } = body as JsonBody;
  return bodyRules[operation.id]?.(members, references, draw) ?? members;
}
