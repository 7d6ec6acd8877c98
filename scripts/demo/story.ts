import { readFile } from 'node:fs/promises';
import type { Created, Partner } from './partner.ts';
import { readQrCode } from './qr-code.ts';

export interface StorySetting {
  partner: Partner;
  key: { key_id: string; key_secret: string };
  /** Where the rental company's own service answers. */
  rentalServiceUrl: string;
  /** The phone that is linked as the bot's device, and the one a customer writes from. */
  devicePhone: string;
  customerPhone: string;
  /** Called before each step with what it is about. */
  chapter: (title: string) => void;
  /** Called with each question and its answer as they stand in the customer's chat. */
  heard: (question: string, answer: string) => void;
}

/** What the story came to, for those who check it. */
export interface StoryOutcome {
  teamId: string;
  botId: string;
  deviceId: string;
  answers: { fromPair: string; fromDocument: string; fromAction: string };
  sent: { status: string; usage: { activeMessagesUsed: number } };
}

/** The platform's main path, as a partner's system would drive it, against a running service. */
export async function playStory(setting: StorySetting): Promise<StoryOutcome> {
  const { partner, chapter } = setting;
  chapter('Exchange the API key for an access token');
  const token = await partner.call<{ access_token: string }>('POST', '/api/openapi/auth/token', setting.key);
  partner.authorize(token.access_token);

  chapter('Create a team with its administrator');
  const created = await partner.call<{ team: Created }>('POST', '/teams', {
    user: { name: 'Front office', email: 'office@lumen-bikes.example', phone: '+15550142' },
    team: { name: 'Lumen Bikes', plan_name: 'pro' },
  });
  const teamId = created.team.id;

  chapter('Upload the handbook, a PDF of several pages');
  const documentId = await uploadHandbook(partner, teamId);

  chapter('Create a bot: instructions, a question with its answer, an action, the document');
  const botId = await createBot(partner, teamId, documentId, setting.rentalServiceUrl);

  chapter('Publish it');
  await partner.call('POST', `/bots/${botId}/publish`);

  chapter('Create a device for the bot and connect it');
  const { id: deviceId } = await partner.call<Created>('POST', '/devices', {
    team_id: teamId,
    bot_id: botId,
    name: 'Front desk',
  });
  await connectDevice(setting, deviceId);

  chapter('A customer asks three questions from a phone');
  const ask = (question: string) => askFromPhone(setting, question);
  const answers = {
    fromPair: await ask('Do you lend helmets?'),
    fromDocument: await ask('How much is the deposit for an electric bike?'),
    fromAction: await ask('What is the status of rental R-4711?'),
  };

  chapter('Send an active message');
  const sent = await partner.call<StoryOutcome['sent']>('POST', '/send', {
    device_id: deviceId,
    message: 'Your bike is ready at Quay Street.',
    destination_number: setting.customerPhone,
  });

  chapter('Show what the team has used');
  await partner.call('GET', `/teams/${teamId}/usage`);
  return { teamId, botId, deviceId, answers, sent };
}

async function uploadHandbook(partner: Partner, teamId: string): Promise<string> {
  const bytes = await readFile(new URL('./documents/handbook.pdf', import.meta.url));
  const form = new FormData();
  form.set('team_id', teamId);
  form.set('file', new File([bytes], 'handbook.pdf', { type: 'application/pdf' }));
  const document = await partner.call<Created>('POST', '/documents', form);
  return document.id;
}

async function createBot(
  partner: Partner,
  teamId: string,
  documentId: string,
  serviceUrl: string,
): Promise<string> {
  const bot = await partner.call<Created>('POST', '/bots', {
    team_id: teamId,
    name: 'Lumen',
    role: 'assistant',
    identification_name: 'Lumen',
    instructions: 'You answer customers of a bike rental, briefly and kindly.',
    questions: [{ question: 'Do you lend helmets?', answer: 'Yes, a helmet is included with every bike.' }],
    actions: [
      {
        name: 'Rental status',
        description: 'Looks up the status of a rental by its number',
        endpoint: `${serviceUrl}/rentals/{{rental_number}}`,
        headers: { key: 'X-Shop', value: 'port-alder' },
        body: [],
      },
    ],
    document_ids: [documentId],
  });
  return bot.id;
}

async function connectDevice({ partner, devicePhone }: StorySetting, deviceId: string): Promise<void> {
  await partner.call('POST', `/devices/${deviceId}/connect`);
  const readStatus = () =>
    partner.call<{ connected: boolean; qr_code: string }>('GET', `/devices/${deviceId}/status`);
  const qr = readQrCode((await readStatus()).qr_code);
  await partner.call('POST', '/simulator/scan', { qr, phone_number: devicePhone });
  await until('the device is connected', async () => {
    const status = await readStatus();
    return status.connected ? status : null;
  });
}

/** Writes to the bot from the customer's phone and waits for what comes back there. */
async function askFromPhone(
  { partner, devicePhone, customerPhone, heard }: StorySetting,
  question: string,
): Promise<string> {
  const chat = `/simulator/messages?${new URLSearchParams({ contact: customerPhone, device: devicePhone })}`;
  const readChat = () => partner.call<{ direction: string; text: string }[]>('GET', chat);
  const before = (await readChat()).length;
  await partner.call('POST', '/simulator/messages', { from: customerPhone, to: devicePhone, text: question });
  const answer = await until(`an answer to “${question}”`, async () => {
    const replies = (await readChat()).slice(before).filter(({ direction }) => direction === 'out');
    return replies.length === 0 ? null : replies.map(({ text }) => text).join('\n\n');
  });
  heard(question, answer);
  return answer;
}

/** Asks until there is something, twice a second and for half a minute at most. */
async function until<Found>(what: string, look: () => Promise<Found | null>): Promise<Found> {
  for (let attempt = 0; attempt < 60; attempt++) {
    const found = await look();
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`waited half a minute in vain for: ${what}`);
}
