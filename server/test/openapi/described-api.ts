import { after } from 'node:test';
import { sql } from 'kysely';
import { newId } from '../../src/platform/shared/ids.ts';
import { startTestApp, type TestApp } from '../harness.ts';
import { type CreateObject, createObjectFactory } from './create-object.ts';
import { createDraw } from './draw.ts';
import { type ApiOperation, collectionOf, fetchOpenapi, readOperations } from './operations.ts';
import { type ApiRequest, drawRequest } from './requests.ts';
import type { References } from './sample-values.ts';
import { openWire, type Wire } from './wire.ts';

/** An API and the operations of its OpenAPI document. */
export interface DescribedApi extends TestApp {
  /** Without those of sessions, which take a cookie and the proof of a page. */
  operations: ApiOperation[];
  wire: Wire;
  /** Returns a valid request for the operation. The same arguments give the same request. */
  requestFor(operation: ApiOperation, references: References): ApiRequest;
  /** Creates a team with an object in every collection that a path names. Returns their ids. */
  createObjects(): Promise<Record<string, string>>;
}

const files = [{ name: 'rental.txt', bytes: Buffer.from('A deposit of forty euros is taken.') }];

export async function startDescribedApi(): Promise<DescribedApi> {
  const app = await startTestApp();
  const documented = readOperations(await fetchOpenapi(app.baseUrl));
  const operations = documented.filter(({ path }) => !path.startsWith('/api/openapi/session'));
  const wire = openWire(app.baseUrl);
  after(() => wire.close());
  const createObject = createObjectFactory({
    operations,
    wire,
    token: app.key.token,
    draw: createDraw(1),
    files,
  });
  await addPool(app, newId(), 1000);
  const credentials = { keys: app.key.keyId, secrets: app.key.secret };
  return {
    ...app,
    operations,
    wire,
    requestFor: (operation, references) =>
      drawRequest(
        operation,
        { ...credentials, ...references },
        createDraw(operations.indexOf(operation)),
        files,
      ),
    createObjects: () => createObjects(app, operations, createObject),
  };
}

/** Inserts a row of a pool that no process serves. */
async function addPool({ context }: TestApp, id: string, capacity: number): Promise<void> {
  await sql`
    insert into pools (id, url, capacity, lease_until)
    values (${id}, 'http://pool.test', ${capacity}, now() + interval '1 hour')`.execute(context.db);
}

/** The API cannot create objects of these collections. */
const chatCollections = ['conversations', 'messages'];
/** Collections that need no object per team or are filled separately. */
const excluded = new Set([
  'teams',
  'api-keys',
  'plans',
  'hosts',
  'versions',
  'actions',
  'pools',
  'contacts',
  'templates',
  'members',
  ...chatCollections,
]);

async function createObjects(
  app: TestApp,
  operations: readonly ApiOperation[],
  createObject: CreateObject,
): Promise<Record<string, string>> {
  const { db } = app.context;
  const created = await app.api('POST', '/teams', {
    body: {
      user: { name: 'Ada', email: 'ada@example.com' },
      team: { name: 'Harbour', plan_name: 'enterprise' },
    },
  });
  // Not the contact of the chat, whom erasing would delete.
  const contacts = '+15550177';
  const team: Record<string, string> = {
    teams: created.body.data.team.id,
    plans: 'pro',
    versions: '1',
    contacts,
  };
  const named = operations.flatMap((o) => o.pathParameters.map((parameter) => collectionOf(o, parameter)));
  const collections = new Set(['documents', 'bots', 'devices', ...named]);
  for (const collection of collections) {
    if (!excluded.has(collection)) team[collection] = await createObject(collection, team);
  }
  const [action, drainedPool] = [newId(), newId()];
  const actions = [{ id: action, name: 'Order status', endpoint: 'http://127.0.0.1:9/' }];
  await app.api('PATCH', `/bots/${team['bots']}`, { body: { actions } });
  await app.api('POST', `/bots/${team['bots']}/publish`);
  await addPool(app, drainedPool, 0);
  const member = await app.api('POST', `/teams/${team['teams']}/members`, {
    body: { name: 'Noor', email: 'noor@example.com', role: 'viewer' },
  });
  const hosts = `team-${team['teams']}.example`;
  await app.api('PUT', `/hosts/${hosts}`, { body: { team_id: team['teams'] } });
  const { keyId } = await app.issueKey();
  const template = newId();
  await sql`
    insert into message_templates (id, team_id, device_id, name, language, category, state, body, variables)
    values (${template}, ${team['teams']}, ${team['devices']}, 'order_ready', 'en', 'utility', 'approved', 'Ready', 0)`.execute(
    db,
  );
  const [conversation, message] = [newId(), newId()];
  await sql`
    insert into conversations (id, team_id, device_id, contact_number)
    values (${conversation}, ${team['teams']}, ${team['devices']}, '+15550199')`.execute(db);
  await sql`
    insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status)
    values (${message}, ${team['teams']}, ${team['devices']}, '+15550199', 'in', 'contact', 'text', 'Are you open?',
            ${message}, 'answered')`.execute(db);
  await sql`
    insert into message_media (message_id, position, kind, mime_type, bytes)
    values (${message}, 0, 'image', 'image/png', '\\x00')`.execute(db);
  await sql`
    insert into notes (id, team_id, conversation_id, author_id, author_name, text)
    values (${newId()}, ${team['teams']}, ${conversation}, ${keyId}, 'Desk', 'Call back')`.execute(db);
  await sql`
    insert into bot_run_results (run_id, team_id, position, name, outcome, is_changed, is_worse, result)
    values (${team['runs']}, ${team['teams']}, 0, 'Hours', 'passed', false, false,
            '{"old": null, "new": {"text": "At nine.", "answered": true, "source": null}, "reasons": []}')`.execute(
    db,
  );
  await sql`
    insert into webhook_deliveries (event_id, webhook_id, xid, seq)
    select id, ${team['webhooks']}::uuid, xid, seq from events where team_id = ${team['teams']} limit 1`.execute(
    db,
  );
  return {
    ...team,
    hosts,
    actions: action,
    pools: drainedPool,
    'api-keys': keyId,
    members: member.body.data.id,
    templates: template,
    conversations: conversation,
    messages: message,
  };
}
