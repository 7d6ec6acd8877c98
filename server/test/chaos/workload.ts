import { setTimeout as delay } from 'node:timers/promises';
import { connect, type Fixtures, type Phones } from './fixtures.ts';
import type { Ledger } from './ledger.ts';
import type { Answer, Partner } from './partner.ts';
import type { WorkloadStep } from './plan-workload.ts';

interface Doing {
  partner: Partner;
  phones: Phones;
  furniture: Fixtures;
  ledger: Ledger;
  /** Of the deed among all of its seed; makes its names its own. */
  name: string;
}

type DeedOf<Kind extends WorkloadStep['kind']> = Extract<WorkloadStep, { kind: Kind }>;

/** Does it, and writes down what was answered. Rejects when there is no definite answer, or one that must not be. */
export async function runStep(deed: WorkloadStep, doing: Doing): Promise<void> {
  switch (deed.kind) {
    case 'send':
      return send(deed, doing);
    case 'upload':
      return upload(deed, doing);
    case 'publish':
      return publish(deed, doing);
    case 'create bot':
      return createBot(deed, doing);
    case 'create team':
      return createTeam(deed, doing);
    case 'create device':
      return createDevice(doing);
    case 'stop and connect':
      return stopAndConnect(deed, doing);
    case 'relink':
      return relink(doing);
  }
}

/** For what comes by itself: a pool, a document that is ready. */
const patienceMs = 60_000;

/** Refusals that a send may get here: the device is away, the month is used up, nobody has that number. */
const sendRefusals = ['device_not_connected', 'active_messages', 'recipient_unknown'];

async function send(deed: DeedOf<'send'>, { partner, furniture, ledger, name }: Doing): Promise<void> {
  const device = furniture.devices[deed.device] ?? furniture.restless;
  const team = furniture.teams[deed.device < 2 ? 0 : 1] ?? { id: '' };
  const text = `send ${name}`;
  const to = `${deed.toNobody ? '+999' : '+1557'}${name.replace(/\D/g, '').padStart(8, '0')}`;
  const { status, body } = await partner.call('POST', '/send', () => ({
    device_id: device.id,
    message: text,
    destination_number: to,
    // The provider here has no words of its own: it goes out as it was written.
    ai_generates_message: deed.rewritten,
  }));
  const reason =
    status === 200 ? null : String(body.details?.reason ?? body.error?.details?.reason ?? body.code);
  if (reason !== null && !sendRefusals.includes(reason))
    throw new Error(`a send was answered ${status} ${JSON.stringify(body)}`);
  ledger.sends.push({
    teamId: team.id,
    phone: device.phone,
    to,
    text,
    messageId: status === 200 ? body.data.messageId : null,
    reason,
  });
}

async function upload(deed: DeedOf<'upload'>, doing: Doing): Promise<void> {
  const { partner, furniture, name } = doing;
  const { id } = await partner.must('POST', '/documents', () => {
    const form = new FormData();
    form.append('team_id', furniture.teams[0]?.id ?? '');
    form.append('file', new Blob([`Bicycle ${name} stands at the harbour.`]), `${name}.txt`);
    return form;
  });
  await made(
    doing,
    { kind: 'document', id, name: `${name}.txt` },
    deed.thenDelete ? `/documents/${id}` : null,
  );
}

async function createBot(deed: DeedOf<'create bot'>, doing: Doing): Promise<void> {
  const { partner, furniture, name } = doing;
  const { id } = await partner.must('POST', '/bots', () => ({ team_id: furniture.teams[0]?.id, name }));
  await made(doing, { kind: 'bot', id, name }, deed.thenDelete ? `/bots/${id}` : null);
}

async function createTeam(deed: DeedOf<'create team'>, doing: Doing): Promise<void> {
  const { partner, name } = doing;
  const { team } = await partner.must('POST', '/teams', () => ({
    user: { name: 'Ada', email: 'ada@example.com' },
    team: { name },
  }));
  if (deed.furnished) {
    await partner.must('POST', '/bots', () => ({ team_id: team.id, name: `Bot of ${name}` }));
    await partner.must('POST', '/documents', () => {
      const form = new FormData();
      form.append('team_id', team.id);
      form.append('file', new Blob([`A document of ${name}`]), `of-${name}.txt`);
      return form;
    });
  }
  await made(doing, { kind: 'team', id: team.id, name }, deed.thenDelete ? `/teams/${team.id}` : null);
}

async function createDevice(doing: Doing): Promise<void> {
  const { partner, furniture, name } = doing;
  const [team] = furniture.teams;
  const body = () => ({ team_id: team?.id, bot_id: team?.botId, name });
  let deadline = Number.POSITIVE_INFINITY;
  for (;;) {
    const answer = await partner.call('POST', '/devices', body);
    if (answer.status === 200) return made(doing, { kind: 'device', id: answer.body.data.id, name }, null);
    deadline = Math.min(deadline, performance.now() + patienceMs);
    // Both pools may be dead for the moment.
    if (answer.body.details?.reason !== 'pool_capacity' || performance.now() > deadline) refuse(answer);
    await delay(200);
  }
}

/** Writes down what was made; deletes it again where there is a path to. */
async function made(
  { partner, ledger }: Doing,
  object: Omit<Ledger['made'][number], 'deleted'>,
  deletePath: string | null,
): Promise<void> {
  const entry = { ...object, deleted: false };
  ledger.made.push(entry);
  if (deletePath === null) return;
  const answer = await partner.call('DELETE', deletePath);
  // The answer to the first try may have been lost.
  if (answer.status !== 200 && answer.status !== 404) refuse(answer);
  entry.deleted = true;
}

function refuse({ status, body }: Answer): never {
  throw new Error(`answered ${status} ${JSON.stringify(body)}`);
}

/** Publishes come one after the other for each team, so that the edition of an answer tells the least it may be. */
async function publish(deed: DeedOf<'publish'>, { partner, furniture, ledger }: Doing): Promise<void> {
  const team = furniture.teams[deed.team];
  if (team === undefined) return;
  const edition = 1 + ledger.publishes.filter(({ teamId }) => teamId === team.id).length;
  const instructions = `edition ${edition}`;
  const path = `/bots/${team.botId}`;
  const document = ledger.made.find(({ kind, deleted }) => kind === 'document' && !deleted);
  const attached =
    deed.withDocument && deed.team === 0 && document !== undefined
      ? await partner.call('PATCH', path, () => ({ instructions, document_ids: [document.id] }))
      : null;
  // It may be deleted meanwhile.
  if (attached?.status !== 200) await partner.must('PATCH', path, () => ({ instructions, document_ids: [] }));
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const answer = await partner.call('POST', `${path}/publish`);
    if (answer.status === 200) break;
    // The provider is asked about documents every three seconds.
    if (answer.body.details?.reason !== 'documents_not_ready' || performance.now() > deadline) refuse(answer);
    await delay(200);
  }
  ledger.publishes.push({ teamId: team.id, edition, answeredAt: Date.now() });
}

async function stopAndConnect(
  deed: DeedOf<'stop and connect'>,
  { partner, phones, furniture }: Doing,
): Promise<void> {
  const device = furniture.devices[deed.device] ?? furniture.restless;
  await partner.must('POST', `/devices/${device.id}/stop`);
  await connect(partner, phones, device);
}

async function relink({ partner, phones, furniture: { restless } }: Doing): Promise<void> {
  await partner.must('POST', `/devices/${restless.id}/logout`);
  await connect(partner, phones, restless);
}
