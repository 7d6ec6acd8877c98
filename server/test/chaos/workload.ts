import { setTimeout as delay } from 'node:timers/promises';
import { connect, type Fixtures, type Phones } from './fixtures.ts';
import type { Ledger } from './ledger.ts';
import type { Answer, Partner } from './partner.ts';
import type { WorkloadStep } from './plan-workload.ts';

interface StepContext {
  partner: Partner;
  phones: Phones;
  fixtures: Fixtures;
  ledger: Ledger;
  /** Unique in the seed; part of all names that the step creates. */
  name: string;
}

type StepOf<Kind extends WorkloadStep['kind']> = Extract<WorkloadStep, { kind: Kind }>;

/** Runs the step and records the response. Throws on an unexpected response or without a final one. */
export async function runStep(step: WorkloadStep, context: StepContext): Promise<void> {
  switch (step.kind) {
    case 'send':
      return send(step, context);
    case 'upload':
      return upload(step, context);
    case 'publish':
      return publish(step, context);
    case 'create bot':
      return createBot(step, context);
    case 'create team':
      return createTeam(step, context);
    case 'create device':
      return createDevice(context);
    case 'stop and connect':
      return stopAndConnect(step, context);
    case 'relink':
      return relink(context);
  }
}

/** For a free pool, or a document that becomes ready. */
const timeoutMs = 240_000;

/** Refusals that the workload provokes. */
const sendRefusals = ['device_not_connected', 'active_messages', 'recipient_unknown'];

async function send(step: StepOf<'send'>, { partner, fixtures, ledger, name }: StepContext): Promise<void> {
  const device = fixtures.devices[step.device] ?? fixtures.relinked;
  const team = fixtures.teams[step.device < 2 ? 0 : 1] ?? { id: '' };
  const text = `send ${name}`;
  const to = `${step.toUnknown ? '+999' : '+1557'}${name.replace(/\D/g, '').padStart(8, '0')}`;
  const { status, body } = await partner.call('POST', '/send', () => ({
    device_id: device.id,
    message: text,
    destination_number: to,
    // The fake provider does not generate text, so the message is sent unchanged.
    ai_generates_message: step.rewritten,
  }));
  const reason =
    status === 200 ? null : String(body.details?.reason ?? body.error?.details?.reason ?? body.code);
  if (reason !== null && !sendRefusals.includes(reason))
    throw new Error(`POST /send returned ${status} ${JSON.stringify(body)}`);
  ledger.sends.push({
    teamId: team.id,
    phone: device.phone,
    to,
    text,
    messageId: status === 200 ? body.data.messageId : null,
    reason,
  });
}

async function upload(step: StepOf<'upload'>, context: StepContext): Promise<void> {
  const { partner, fixtures, name } = context;
  const { id } = await partner.request('POST', '/documents', () => {
    const form = new FormData();
    form.append('team_id', fixtures.teams[0]?.id ?? '');
    form.append('file', new Blob([`Bicycle ${name} stands at the harbour.`]), `${name}.txt`);
    return form;
  });
  await recordCreated(
    context,
    { kind: 'document', id, name: `${name}.txt` },
    step.thenDelete ? `/documents/${id}` : null,
  );
}

async function createBot(step: StepOf<'create bot'>, context: StepContext): Promise<void> {
  const { partner, fixtures, name } = context;
  const { id } = await partner.request('POST', '/bots', () => ({ team_id: fixtures.teams[0]?.id, name }));
  await recordCreated(context, { kind: 'bot', id, name }, step.thenDelete ? `/bots/${id}` : null);
}

async function createTeam(step: StepOf<'create team'>, context: StepContext): Promise<void> {
  const { partner, name } = context;
  const { team } = await partner.request('POST', '/teams', () => ({
    user: { name: 'Ada', email: 'ada@example.com' },
    team: { name },
  }));
  if (step.withObjects) {
    await partner.request('POST', '/bots', () => ({ team_id: team.id, name: `Bot of ${name}` }));
    await partner.request('POST', '/documents', () => {
      const form = new FormData();
      form.append('team_id', team.id);
      form.append('file', new Blob([`A document of ${name}`]), `of-${name}.txt`);
      return form;
    });
  }
  await recordCreated(
    context,
    { kind: 'team', id: team.id, name },
    step.thenDelete ? `/teams/${team.id}` : null,
  );
}

async function createDevice(context: StepContext): Promise<void> {
  const { partner, fixtures, name } = context;
  const [team] = fixtures.teams;
  const body = () => ({ team_id: team?.id, bot_id: team?.botId, name });
  let deadline = Number.POSITIVE_INFINITY;
  for (;;) {
    const answer = await partner.call('POST', '/devices', body);
    if (answer.status === 200)
      return recordCreated(context, { kind: 'device', id: answer.body.data.id, name }, null);
    deadline = Math.min(deadline, performance.now() + timeoutMs);
    // Both pools may be down.
    if (answer.body.details?.reason !== 'pool_capacity' || performance.now() > deadline) fail(answer);
    await delay(200);
  }
}

/** Records a created object and deletes it if a path is given. */
async function recordCreated(
  { partner, ledger }: StepContext,
  object: Omit<Ledger['created'][number], 'deleted'>,
  deletePath: string | null,
): Promise<void> {
  const entry = { ...object, deleted: false };
  ledger.created.push(entry);
  if (deletePath === null) return;
  const answer = await partner.call('DELETE', deletePath);
  // 404 follows if the response to an earlier attempt was lost.
  if (answer.status !== 200 && answer.status !== 404) fail(answer);
  entry.deleted = true;
}

function fail({ status, body }: Answer): never {
  throw new Error(`unexpected response ${status} ${JSON.stringify(body)}`);
}

/** The publishes of a team run one after another. The version in the instructions appears in the answers. */
async function publish(step: StepOf<'publish'>, { partner, fixtures, ledger }: StepContext): Promise<void> {
  const team = fixtures.teams[step.team];
  if (team === undefined) return;
  const version = 1 + ledger.publishes.filter(({ teamId }) => teamId === team.id).length;
  const instructions = `version ${version}`;
  const path = `/bots/${team.botId}`;
  const document = ledger.created.find(({ kind, deleted }) => kind === 'document' && !deleted);
  const attached =
    step.withDocument && step.team === 0 && document !== undefined
      ? await partner.call('PATCH', path, () => ({ instructions, document_ids: [document.id] }))
      : null;
  // The document may have been deleted meanwhile.
  if (attached?.status !== 200)
    await partner.request('PATCH', path, () => ({ instructions, document_ids: [] }));
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await partner.call('POST', `${path}/publish`);
    if (answer.status === 200) break;
    // Parley polls the provider for documents every three seconds.
    if (answer.body.details?.reason !== 'documents_not_ready' || performance.now() > deadline) fail(answer);
    await delay(200);
  }
  ledger.publishes.push({ teamId: team.id, version, answeredAt: Date.now() });
}

async function stopAndConnect(
  step: StepOf<'stop and connect'>,
  { partner, phones, fixtures }: StepContext,
): Promise<void> {
  const device = fixtures.devices[step.device] ?? fixtures.relinked;
  await partner.request('POST', `/devices/${device.id}/stop`);
  await connect(partner, phones, device);
}

async function relink({ partner, phones, fixtures: { relinked } }: StepContext): Promise<void> {
  await partner.request('POST', `/devices/${relinked.id}/logout`);
  await connect(partner, phones, relinked);
}
