import type { CreateBotInput } from '@parley/sdk';
import { api } from '../../api/client.ts';
import { createUploader } from '../../api/upload.ts';
import type { Locale } from '../../i18n/locales.ts';

export interface Customer {
  name: string;
  admin: string;
  email: string;
  bot: Pick<CreateBotInput, 'name' | 'instructions' | 'purpose' | 'questions'>;
  files: readonly File[];
}

/** What exists already, so that another attempt continues after it. */
export interface Progress {
  teamId?: string;
  documentIds: readonly string[];
  botId?: string;
  isPublished?: boolean;
  deviceId?: string;
  link?: string;
}

export type CustomerStep = 'team' | 'documents' | 'bot' | 'link';

/** Returns the step that comes next, or null at the end. */
export function nextStep({ files }: Pick<Customer, 'files'>, progress: Progress): CustomerStep | null {
  if (progress.teamId === undefined) return 'team';
  if (progress.documentIds.length < files.length) return 'documents';
  if (progress.isPublished !== true) return 'bot';
  return progress.link === undefined ? 'link' : null;
}

/** The longest. */
export const linkSeconds = 259_200;

/** Takes one step and returns what exists then. */
export async function takeStep(customer: Customer, progress: Progress, locale: Locale): Promise<Progress> {
  const { teamId = '', documentIds, botId, deviceId } = progress;
  switch (nextStep(customer, progress)) {
    case 'team': {
      const user = { name: customer.admin, email: customer.email };
      const { team } = await api.createTeam({ team: { name: customer.name }, user });
      return { ...progress, teamId: team.id };
    }
    case 'documents': {
      const file = customer.files[documentIds.length];
      if (file === undefined) return progress;
      const { id } = await createUploader(() => undefined).uploadDocument({ team_id: teamId, file });
      return { ...progress, documentIds: [...documentIds, id] };
    }
    case 'bot': {
      if (botId === undefined) {
        await api.updateTeam({ id: teamId, settings: { locale } });
        const bot = { ...customer.bot, team_id: teamId, document_ids: [...documentIds], allow_human: true };
        return { ...progress, botId: (await api.createBot(bot)).id };
      }
      await api.publishBot({ id: botId });
      return { ...progress, isPublished: true };
    }
    case 'link': {
      if (deviceId === undefined) {
        const device = { team_id: teamId, bot_id: botId ?? '', name: customer.name };
        return { ...progress, deviceId: (await api.createDevice(device)).id };
      }
      const { url } = await api.createDeviceLink({ id: deviceId, expires_in: linkSeconds });
      return { ...progress, link: url };
    }
    default:
      return progress;
  }
}
