import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { Parley } from '@parley/sdk';
import type { Narrator } from './narrator.ts';
import { readQrCode } from './qr-code.ts';
import { rentalQuestions } from './rental-questions.ts';

export interface StorySetting {
  partner: Parley;
  /** Base URL of the rental company's own service, which the bot's action calls. */
  rentalServiceUrl: string;
  /** The phone that is linked as the bot's device, and the phone of a customer. */
  devicePhone: string;
  customerPhone: string;
  narrator: Narrator;
}

/** The results that tests check. */
export interface StoryOutcome {
  teamId: string;
  botId: string;
  deviceId: string;
  /** Names the chat on the website. */
  siteKey: string;
  answers: { fromPair: string; fromDocument: string; fromAction: string };
  sent: Awaited<ReturnType<Parley['sendMessage']>>;
}

/** Plays the main path of the platform against a running service, as a partner's system would. */
export async function playStory(setting: StorySetting): Promise<StoryOutcome> {
  const { partner, narrator, devicePhone, customerPhone } = setting;
  await narrator.step(
    'Exchange the API key for an access token',
    () => partner.getToken(),
    () => 'valid for 24 hours',
  );
  const team = await narrator.step(
    'Create a team',
    () => createTeam(partner),
    ({ name, plan_name }) => `${name}, on plan ${plan_name}`,
  );
  const document = await narrator.step(
    'Upload a PDF',
    () => uploadHandbook(partner, team.id),
    ({ name, chars }) => `${name}, ${chars.toLocaleString('en')} characters`,
  );
  const botId = await narrator.step(
    'Create a bot and publish it',
    () => publishBot(setting, team.id, document.id),
    () => 'Lumen, with question/answer pairs, an action and the PDF',
  );
  const deviceId = await narrator.step(
    'Connect a device by scanning its QR code with a simulated phone',
    () => connectDevice(setting, team.id, botId),
    () => `${devicePhone} is linked`,
  );
  const answers = await narrator.step(
    'Ask three questions from the phone of a customer',
    async () => ({
      fromPair: await askFromPhone(setting, 'Do you lend helmets?', 'the question/answer pair'),
      fromDocument: await askFromPhone(setting, 'How much is the deposit for an electric bike?', 'the PDF'),
      fromAction: await askFromPhone(setting, 'What is the status of rental R-4711?', 'the action'),
    }),
    () => '',
  );
  const message = 'Your bike is ready at Quay Street.';
  const sent = await narrator.step(
    'Send an active message',
    () => partner.sendMessage({ device_id: deviceId, message, destination_number: customerPhone }),
    ({ status }) => `“${message}” to ${customerPhone}, status ${status}`,
  );
  await narrator.step(
    "Show the team's usage",
    () => partner.getTeamUsage({ id: team.id }),
    ({ quotas: { credits }, active_messages: messages }) =>
      `${messages.used} of ${messages.quota.toLocaleString('en')} active messages, ` +
      `${credits.used} of ${credits.limit.toLocaleString('en')} credits`,
  );
  const siteKey = await narrator.step(
    'Open a chat on the website of the shop',
    () => openWebsite(setting, team.id, botId),
    () => `only pages of ${originOf(setting)} show it`,
  );
  return { teamId: team.id, botId, deviceId, siteKey, answers, sent };
}

async function createTeam(partner: Parley) {
  const { team } = await partner.createTeam({
    user: { name: 'Front office', email: 'office@lumen-bikes.example', phone: '+15550142' },
    team: { name: 'Lumen Bikes', plan_name: 'pro' },
  });
  return team;
}

async function uploadHandbook(partner: Parley, teamId: string) {
  const bytes = await readFile(new URL('./documents/handbook.pdf', import.meta.url));
  const file = new File([bytes], 'handbook.pdf', { type: 'application/pdf' });
  return partner.uploadDocument({ team_id: teamId, file });
}

async function publishBot(
  { partner, rentalServiceUrl }: StorySetting,
  teamId: string,
  documentId: string,
): Promise<string> {
  const bot = await partner.createBot({
    team_id: teamId,
    name: 'Lumen',
    role: 'assistant',
    identification_name: 'Lumen',
    instructions: 'You answer customers of a bike rental, briefly and kindly.',
    questions: rentalQuestions,
    actions: [
      {
        name: 'Rental status',
        description: 'Looks up the status of a rental by its number',
        endpoint: `${rentalServiceUrl}/rentals/{{rental_number}}`,
        headers: { key: 'X-Shop', value: 'port-alder' },
        body: [],
      },
    ],
    document_ids: [documentId],
  });
  await partner.publishBot({ id: bot.id });
  return bot.id;
}

async function connectDevice(
  { partner, devicePhone }: StorySetting,
  teamId: string,
  botId: string,
): Promise<string> {
  const { id } = await partner.createDevice({ team_id: teamId, bot_id: botId, name: 'Front desk' });
  await partner.connectDevice({ id });
  const { qr_code: code = '' } = await partner.getDeviceStatus({ id });
  const body = { qr: readQrCode(code), phone_number: devicePhone };
  await partner.request({ method: 'POST', path: '/simulator/scan', body });
  await pollFor('the connected device', async () => {
    const status = await partner.getDeviceStatus({ id });
    return status.connected ? status : null;
  });
  return id;
}

const originOf = ({ rentalServiceUrl }: StorySetting) => new URL(rentalServiceUrl).origin;

async function openWebsite(setting: StorySetting, teamId: string, botId: string): Promise<string> {
  const { partner } = setting;
  const { id } = await partner.createDevice({
    team_id: teamId,
    bot_id: botId,
    name: 'Website',
    network: 'web',
  });
  const { web_chat: chat } = await partner.updateDevice({
    id,
    web_chat: {
      allowed_origins: [originOf(setting)],
      title: 'Lumen Bikes',
      greeting: 'Hello! Ask me about bikes, deposits or your rental.',
    },
  });
  await partner.connectDevice({ id });
  return chat?.site_key ?? id;
}

/** Writes to the bot from the customer's phone and returns the reply. */
async function askFromPhone(
  { partner, devicePhone, customerPhone, narrator }: StorySetting,
  question: string,
  source: string,
): Promise<string> {
  const path = '/simulator/messages';
  const query = { contact: customerPhone, device: devicePhone };
  const readChat = () =>
    partner.request<{ direction: string; text: string }[]>({ method: 'GET', path, query });
  const before = (await readChat()).length;
  await partner.request({
    method: 'POST',
    path,
    body: { from: customerPhone, to: devicePhone, text: question },
  });
  const answer = await pollFor(`a reply to “${question}”`, async () => {
    const replies = (await readChat()).slice(before).filter(({ direction }) => direction === 'out');
    return replies.length === 0 ? null : replies.map(({ text }) => text).join('\n\n');
  });
  narrator.chat(question, answer, source);
  return answer;
}

/** Polls twice a second until `read` returns a value. Throws after 30 seconds. */
async function pollFor<Value>(name: string, read: () => Promise<Value | null>): Promise<Value> {
  for (let attempt = 0; attempt < 60; attempt++) {
    const value = await read();
    if (value !== null) return value;
    await setTimeout(500);
  }
  throw new Error(`timed out after 30 seconds waiting for ${name}`);
}
