import type { Bot } from '@parley/sdk';
import { Badge } from '../../components/ui/badge.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { botsMessages } from './bots.messages.ts';

/** Says whether contacts get the draft. A bot that was never published answers nobody. */
export function PublicationBadge({ bot }: { bot: Pick<Bot, 'published' | 'live_version'> }) {
  const t = useMessages(botsMessages);
  if (bot.published) return <Badge tone="success">{t.published}</Badge>;
  return <Badge tone="warning">{bot.live_version === null ? t.neverPublished : t.draft}</Badge>;
}
