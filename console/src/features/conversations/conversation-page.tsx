import type { Conversation } from '@parley/sdk';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeft, Check, CirclePause, CirclePlay, type LucideIcon, Reply, UserRound } from 'lucide-react';
import { type DragEvent, type ReactNode, useEffect, useState } from 'react';
import { api } from '../../api/client.ts';
import { attentionQuery } from '../../app/attention.ts';
import { useWriters } from '../../app/typing.ts';
import { useMay } from '../../app/use-may.ts';
import { useActor } from '../../app/use-session.ts';
import { Loaded } from '../../components/loaded.tsx';
import { TeamName } from '../../components/team-name.tsx';
import { Button, buttonClass } from '../../components/ui/button.tsx';
import { Dialog } from '../../components/ui/dialog.tsx';
import { toastError } from '../../components/ui/toast.tsx';
import { useContactLabel, useContactName } from '../../components/use-contact-label.ts';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { liveDeviceQuery } from '../devices/devices.queries.ts';
import { composerMessages } from './composer.messages.ts';
import { Composer, useAttach } from './composer.tsx';
import { ContactConsent } from './contact-consent.tsx';
import { ContactDetails } from './contact-details.tsx';
import { conversationsMessages } from './conversations.messages.ts';
import { conversationQuery } from './conversations.queries.ts';
import { deskMessages } from './desk.messages.ts';
import { Thread } from './thread.tsx';

const route = getRouteApi('/conversations/$conversationId');

export function ConversationPage() {
  const { conversationId } = route.useParams();
  const query = useQuery(conversationQuery(conversationId));
  const may = useMay();
  const desk = useMessages(deskMessages);
  const nameOf = useContactName();
  useMarkRead(query.data, { isAllowed: may('markConversationRead') });
  return (
    <section className="flex min-w-0 flex-1" aria-label={query.data && nameOf(query.data)}>
      {query.data === undefined ? (
        <div className="p-6">
          <Loaded query={query}>{() => null}</Loaded>
        </div>
      ) : (
        <>
          <FileDrop conversation={query.data}>
            <Header conversation={query.data} />
            <Thread key={conversationId} conversation={query.data} />
            <Writers conversationId={conversationId} />
            {may('writeToConversation') && (
              <Composer key={`${conversationId}-composer`} conversation={query.data} />
            )}
          </FileDrop>
          <aside
            aria-label={desk.details}
            className="hidden w-80 shrink-0 overflow-y-auto border-l p-6 2xl:block"
          >
            <ContactDetails key={conversationId} conversation={query.data} />
          </aside>
        </>
      )}
    </section>
  );
}

/** Always there, so that screen readers announce who begins to write. */
function Writers({ conversationId }: { conversationId: string }) {
  const t = useMessages(conversationsMessages);
  const names = useWriters(conversationId);
  return (
    <p role="status" className="truncate px-4 text-muted text-xs not-empty:py-1 lg:px-6">
      {names.length === 1 && t.writing(names.join())}
      {names.length > 1 && t.severalWrite(names.join(', '))}
    </p>
  );
}

/** Adds files that are dropped on the conversation to the next message. */
function FileDrop({ conversation: { id }, children }: { conversation: Conversation; children: ReactNode }) {
  const t = useMessages(composerMessages);
  const attach = useAttach(id);
  const may = useMay();
  const [over, setOver] = useState(false);
  const hasFiles = (event: DragEvent) =>
    event.dataTransfer.types.includes('Files') && may('sendFileToConversation');
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the composer has a button for the same
    <div
      className="relative flex min-w-0 flex-1 flex-col"
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        if (!hasFiles(event)) return;
        event.preventDefault();
        attach([...event.dataTransfer.files]);
      }}
    >
      {children}
      {over && (
        <p className="pointer-events-none absolute inset-2 grid place-items-center rounded-xl border-2 border-accent-text border-dashed bg-surface/90 font-medium">
          {t.dropHere}
        </p>
      )}
    </div>
  );
}

function Header({ conversation }: { conversation: Conversation }) {
  const nameOf = useContactName();
  const labelOf = useContactLabel();
  const t = useMessages(conversationsMessages);
  const common = useMessages(commonMessages);
  const device = useQuery(liveDeviceQuery(conversation.device_id)).data;
  const { teamId } = useActor();
  const may = useMay();
  return (
    <header className="border-b px-4 py-3 lg:px-6 lg:pt-6">
      <div className="flex flex-wrap items-center gap-3">
        <Link
          to="/conversations"
          search={(old: object) => old}
          aria-label={common.back}
          className={`${buttonClass({ look: 'ghost', size: 'icon' })} -ml-2 lg:hidden`}
        >
          <ArrowLeft aria-hidden className="size-5" />
        </Link>
        <div className="min-w-48 flex-1">
          <h1 className="truncate text-base font-semibold tabular-nums">{nameOf(conversation)}</h1>
          <p className="truncate text-muted text-[0.8125rem]">
            {conversation.contact.name !== null && (
              <span className="tabular-nums">{labelOf(conversation.contact_number)} · </span>
            )}
            <Link
              to="/devices/$deviceId"
              params={{ deviceId: conversation.device_id }}
              className="hover:underline"
            >
              {device?.name ?? '…'}
            </Link>
            {teamId === null && (
              <>
                {' · '}
                <Link
                  to="/teams/$teamId"
                  params={{ teamId: conversation.team_id }}
                  className="hover:underline"
                >
                  <TeamName id={conversation.team_id} />
                </Link>
              </>
            )}
          </p>
        </div>
        <div data-page-actions className="flex flex-wrap justify-end gap-2">
          <DetailsButton key={conversation.id} conversation={conversation} />
          {may('pauseConversation') && <Actions conversation={conversation} />}
        </div>
      </div>
      <StateNotice conversation={conversation} />
      <ContactConsent key={conversation.id} contact={conversation} />
      {conversation.flag !== undefined && (
        <p className="mt-2 text-warning text-[0.8125rem]">
          {t.flagHints[conversation.flag]}{' '}
          {conversation.flag === 'bot_not_published' && device !== undefined && (
            <Link
              to="/bots/$botId"
              params={{ botId: device.bot_id }}
              className="underline underline-offset-4"
            >
              {t.toBot}
            </Link>
          )}
        </p>
      )}
    </header>
  );
}

/** Where there is no room beside the messages. */
function DetailsButton({ conversation }: { conversation: Conversation }) {
  const nameOf = useContactName();
  const t = useMessages(deskMessages);
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button className="2xl:hidden" onClick={() => setOpen(true)}>
        <UserRound aria-hidden className="size-4" />
        <span className="max-sm:sr-only">{t.details}</span>
      </Button>
      <Dialog open={open} onOpenChange={setOpen} title={nameOf(conversation)}>
        <ContactDetails conversation={conversation} />
      </Dialog>
    </>
  );
}

function StateNotice({ conversation: { state, paused_until: until } }: { conversation: Conversation }) {
  const t = useMessages(conversationsMessages);
  const { dateTime } = useFormats();
  if (state === 'closed') return <p className="mt-2 text-muted text-[0.8125rem]">{t.closedHint}</p>;
  if (state !== 'paused') return null;
  return (
    <p className="mt-2 text-muted text-[0.8125rem]">
      {until === undefined ? t.pausedForGood : t.pausedUntil(dateTime(until))}
    </p>
  );
}

function Actions({ conversation }: { conversation: Conversation }) {
  const t = useMessages(conversationsMessages);
  return (
    <>
      {conversation.state === 'bot' && isUnanswered(conversation) && (
        <ActionButton
          label={t.answerNow}
          icon={Reply}
          act={() => api.answerConversation({ id: conversation.id })}
        />
      )}
      {conversation.state !== 'closed' && (
        <ActionButton
          label={t.close}
          icon={Check}
          act={() => api.closeConversation({ id: conversation.id })}
        />
      )}
      <PauseButton conversation={conversation} />
    </>
  );
}

const unansweredFlags = new Set<string | undefined>([
  'out_of_credits',
  'provider_failed',
  'bot_not_published',
]);

const isUnanswered = ({ flag }: Conversation): boolean => unansweredFlags.has(flag);

function PauseButton({ conversation }: { conversation: Conversation }) {
  const t = useMessages(conversationsMessages);
  const { id } = conversation;
  return conversation.state === 'paused' ? (
    <ActionButton label={t.resume} icon={CirclePlay} act={() => api.resumeConversation({ id })} />
  ) : (
    <ActionButton label={t.pause} icon={CirclePause} act={() => api.pauseConversation({ id })} />
  );
}

function ActionButton({
  label,
  icon: Icon,
  act,
}: {
  label: string;
  icon: LucideIcon;
  act: () => Promise<unknown>;
}) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      await act();
      await refreshConversations(queries);
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button busy={busy} onClick={() => void run()}>
      {!busy && <Icon aria-hidden className="size-4" />}
      <span className="max-sm:sr-only">{label}</span>
    </Button>
  );
}

/** Marks the conversation as read while it is open in a visible tab. */
function useMarkRead(conversation: Conversation | undefined, { isAllowed }: { isAllowed: boolean }): void {
  const queries = useQueryClient();
  const id = conversation?.id;
  const unread = conversation?.unread ?? 0;
  useEffect(() => {
    if (!isAllowed || id === undefined || unread === 0 || document.visibilityState === 'hidden') return;
    void api
      .markConversationRead({ id })
      .then(() => refreshConversations(queries))
      // The next message tries again.
      .catch(() => undefined);
  }, [id, unread, isAllowed, queries]);
}

const refreshConversations = (queries: QueryClient) =>
  Promise.all([
    queries.invalidateQueries({ queryKey: ['conversations'] }),
    queries.invalidateQueries({ queryKey: attentionQuery.queryKey }),
  ]);
