import { setTimeout as delay } from 'node:timers/promises';
import { readQrCode } from '../../../scripts/demo/qr-code.ts';
import type { Partner } from './partner.ts';

/** Two teams with a bot and two devices each, and one more device. */
export interface Fixtures {
  teams: { id: string; botId: string }[];
  /** The first two belong to the first team. */
  devices: { id: string; phone: string }[];
  /** No contact writes to it. */
  relinked: { id: string; phone: string };
}

export interface Phones {
  scan(qr: string, phone: string): Promise<boolean>;
}

const unlimited = 1_000_000;
const quotas = {
  bots: unlimited,
  accounts: unlimited,
  characters: unlimited,
  documents: unlimited,
  members: 10,
  credits: unlimited,
};

/** Creates the fixtures through the API, before any fault. */
export async function createFixtures(
  partner: Partner,
  phones: Phones,
  options: { seed: number; activeMessages: number; actionUrl: string },
): Promise<Fixtures> {
  const { seed } = options;
  const [first, second] = await Promise.all([
    addTeam(partner, {
      ...options,
      name: `Unlimited ${seed}`,
      activeMessages: unlimited,
      breakLines: true,
      delay: 0,
    }),
    addTeam(partner, { ...options, name: `Limited ${seed}`, breakLines: false, delay: 1 }),
  ]);
  const [devices, relinked] = await Promise.all([
    Promise.all([0, 1, 2, 3].map((n) => addDevice(partner, n < 2 ? first : second, getPhone(seed, n)))),
    addDevice(partner, first, getPhone(seed, 4)),
  ]);
  await Promise.all([...devices, relinked].map((device) => connect(partner, phones, device)));
  return { teams: [first, second], devices, relinked };
}

const getPhone = (seed: number, n: number): string => `+1555${String(seed).padStart(5, '0')}${n}`;

async function addTeam(
  partner: Partner,
  options: {
    seed: number;
    name: string;
    activeMessages: number;
    actionUrl: string;
    breakLines: boolean;
    delay: number;
  },
): Promise<{ id: string; botId: string }> {
  const plan = options.name.toLowerCase().replace(' ', '-');
  await partner.request('PUT', `/plans/${plan}`, () => ({
    features: { allowActiveMessaging: true },
    active_messages_monthly: options.activeMessages,
    paying: true,
    quotas,
  }));
  const { team } = await partner.request('POST', '/teams', () => ({
    user: { name: 'Ada', email: 'ada@example.com' },
    team: { name: options.name, plan_name: plan },
  }));
  await partner.request('PATCH', `/teams/${team.id}`, () => ({
    settings: { reply_delay_seconds: options.delay },
  }));
  const bot = await partner.request('POST', '/bots', () => ({
    team_id: team.id,
    name: 'Front desk',
    instructions: 'version 0',
    break_lines: options.breakLines,
    actions: [
      {
        name: 'book',
        description: 'Books',
        endpoint: options.actionUrl,
        method: 'POST',
        body: [{ key: 'question', value: '' }],
      },
    ],
  }));
  await partner.request('POST', `/bots/${bot.id}/publish`);
  return { id: team.id, botId: bot.id };
}

async function addDevice(
  partner: Partner,
  { id: team_id, botId: bot_id }: { id: string; botId: string },
  phone: string,
): Promise<{ id: string; phone: string }> {
  const { id } = await partner.request('POST', '/devices', () => ({
    team_id,
    bot_id,
    name: `Desk ${phone}`,
  }));
  return { id, phone };
}

/** Scans the device's QR codes until it is connected. */
export async function connect(
  partner: Partner,
  phones: Phones,
  { id, phone }: { id: string; phone: string },
): Promise<void> {
  const deadline = performance.now() + connectTimeoutMs;
  for (;;) {
    const status = await partner.request('GET', `/devices/${id}/status`);
    if (status.connected) return;
    if (status.status === 'stopped') await partner.call('POST', `/devices/${id}/connect`);
    else if (typeof status.qr_code === 'string') await phones.scan(readQrCode(status.qr_code), phone);
    if (performance.now() > deadline)
      throw new Error(`the device stays ${JSON.stringify({ ...status, qr_code: '…' })}`);
    await delay(100);
  }
}

const connectTimeoutMs = 300_000;
