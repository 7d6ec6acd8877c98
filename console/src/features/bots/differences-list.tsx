import { useQueries, useQuery } from '@tanstack/react-query';
import { Loaded } from '../../components/loaded.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { cn } from '../../lib/class-names.ts';
import { documentNameQuery } from '../documents/documents.queries.ts';
import { botMessages } from './bot.messages.ts';
import type { BotDraft } from './bot-draft.ts';
import { botVersionQuery } from './bots.queries.ts';
import { findDifferences, type Setting, versionToDraft } from './differences.ts';
import { versionsMessages } from './versions.messages.ts';

/** The lines that change if the draft replaces a version. */
export function DifferencesList({
  botId,
  version,
  draft,
}: {
  botId: string;
  version: number;
  draft: BotDraft;
}) {
  const query = useQuery(botVersionQuery(botId, version));
  return (
    <Loaded query={query}>
      {(content) => <DraftDifferences before={versionToDraft(content)} after={draft} />}
    </Loaded>
  );
}

/** The lines that only one of two states of a bot has. */
export function DraftDifferences({ before, after }: { before: BotDraft; after: BotDraft }) {
  const t = useMessages(versionsMessages);
  const bot = useMessages(botMessages);
  const common = useMessages(commonMessages);
  const documentIds = findChangedIds(before.document_ids, after.document_ids);
  const names = useQueries({ queries: documentIds.map(documentNameQuery) });
  const labels: Record<Setting, string> = {
    name: bot.name,
    identification_name: bot.introducedAs,
    description: bot.description,
    allow_human: bot.allowHuman,
    break_lines: bot.breakLines,
    use_audio_responses: bot.audioAnswers,
    allow_user_audio_requests: bot.audioRequests,
    capture_payments: bot.payments,
    answer_max_age_minutes: bot.maxAge,
    temperature: bot.temperature,
    chat_model_level: bot.level,
  };
  const textOf = (value: string | number | boolean) =>
    typeof value === 'boolean' ? (value ? common.yes : common.no) : value;
  const texts = {
    setting: (name: Setting, value: string | number | boolean) => `${labels[name]}: ${textOf(value)}`,
    document: (id: string) => names[documentIds.indexOf(id)]?.data ?? id,
  };
  const sections = findDifferences(before, after, texts);
  if (sections.length === 0) return <p className="text-muted">{t.noDifferences}</p>;
  return (
    <div className="grid gap-4">
      {sections.map(({ section, lines }) => (
        <section key={section} aria-label={bot.tabs[section]}>
          <h2 className="mb-1.5 font-medium">{bot.tabs[section]}</h2>
          <ul className="overflow-hidden rounded-lg border text-[0.8125rem]">
            {lines.map(({ kind, text }, position) => (
              <li
                // biome-ignore lint/suspicious/noArrayIndexKey: lines may repeat
                key={position}
                className={cn(
                  'flex gap-2.5 px-3 py-1 whitespace-pre-wrap',
                  kind === 'added' ? 'bg-success/10' : 'bg-danger/10',
                )}
              >
                <span className="sr-only">{kind === 'added' ? t.added : t.removed}</span>
                <span aria-hidden className="font-mono text-muted select-none">
                  {kind === 'added' ? '+' : '−'}
                </span>
                <span className="min-w-0 wrap-anywhere">{text}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

const findChangedIds = (before: readonly string[], after: readonly string[]): string[] => [
  ...before.filter((id) => !after.includes(id)),
  ...after.filter((id) => !before.includes(id)),
];
