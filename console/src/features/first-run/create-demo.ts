import { api } from '../../api/client.ts';
import type { Locale } from '../../i18n/locales.ts';
import { randomPhoneNumber, scanCode } from '../simulated-phone/network.ts';
import { type DemoTexts, demoPairs } from './demo-pairs.ts';
import { readQrCode } from './read-qr-code.ts';

export type DemoStep = 'team' | 'document' | 'bot' | 'device';

export interface Demo {
  teamId: string;
  botId: string;
  /** The number of the linked phone. */
  device: string;
}

/** Makes a team whose bot answers on a linked phone. Reports each step before it begins. */
export async function createDemo(
  texts: DemoTexts,
  locale: Locale,
  report: (step: DemoStep) => void,
): Promise<Demo> {
  report('team');
  const { team } = await api.createTeam({
    team: { name: texts.team },
    user: { name: texts.admin, email: 'office@lumen-bikes.example' },
  });
  await api.updateTeam({ id: team.id, settings: { locale, reply_delay_seconds: 0 } });
  report('document');
  const file = new File([texts.rules], texts.file, { type: 'text/plain' });
  const document = await api.uploadDocument({ team_id: team.id, file });
  report('bot');
  const bot = await api.createBot({
    team_id: team.id,
    name: texts.bot,
    instructions: texts.instructions,
    questions: demoPairs(texts),
    document_ids: [document.id],
    allow_human: true,
  });
  await api.publishBot({ id: bot.id });
  report('device');
  const device = await linkDevice(team.id, bot.id, texts.device);
  return { teamId: team.id, botId: bot.id, device };
}

async function linkDevice(teamId: string, botId: string, name: string): Promise<string> {
  const { id } = await api.createDevice({ team_id: teamId, bot_id: botId, name });
  await api.connectDevice({ id });
  const number = randomPhoneNumber();
  const { qr_code: code = '' } = await api.getDeviceStatus({ id });
  await scanCode(await readQrCode(code), number);
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const { connected } = await api.getDeviceStatus({ id });
    if (connected) return number;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error('The device did not connect within 30 seconds');
}
