import type { Conversation, LastMessage } from '@parley/sdk';
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet, useMatchRoute, useNavigate } from '@tanstack/react-router';
import { Contact as ContactIcon, Inbox, SearchX } from 'lucide-react';
import { api } from '../../api/client.ts';
import { useTabTitle } from '../../app/attention.ts';
import { useMay } from '../../app/use-may.ts';
import { useActor } from '../../app/use-session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FilterChip } from '../../components/filter-chip.tsx';
import { ChoiceFilter, FlagFilter, TeamFilter } from '../../components/list-toolbar.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { Badge } from '../../components/ui/badge.tsx';
import { Button, buttonClass } from '../../components/ui/button.tsx';
import { Skeleton } from '../../components/ui/skeleton.tsx';
import { toastError } from '../../components/ui/toast.tsx';
import { useContactName } from '../../components/use-contact-label.ts';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { cn } from '../../lib/class-names.ts';
import { botsQuery } from '../bots/bots.queries.ts';
import { liveDeviceQuery } from '../devices/devices.queries.ts';
import { AnswerWaiting } from '../improve/answer-waiting.tsx';
import { conversationsMessages } from './conversations.messages.ts';
import { conversationFlags, conversationStates, inboxQuery } from './conversations.queries.ts';
import { deskMessages } from './desk.messages.ts';
import { ownUserId } from './desk.queries.ts';
import { Shortcuts } from './shortcuts.tsx';
import { thumbsMessages } from './thumbs.messages.ts';

const route = getRouteApi('/conversations');

export function InboxPage() {
  const t = useMessages(conversationsMessages);
  const desk = useMessages(deskMessages);
  const isOpen = useMatchRoute()({ to: '/conversations/$conversationId' }) !== false;
  useTabTitle(t.title);
  return (
    <div className="flex h-[calc(100dvh-3.5rem)] lg:h-dvh">
      <section
        aria-label={t.title}
        className={cn(
          'flex w-full min-w-0 flex-col lg:w-96 lg:shrink-0 lg:border-r',
          isOpen && 'max-lg:hidden',
        )}
      >
        <div className="grid gap-3 border-b p-4 pt-6">
          <div className="flex items-center justify-between gap-3">
            <h1 className="text-xl font-semibold tracking-tight">{t.title}</h1>
            <Link to="/contacts" className={buttonClass({ look: 'ghost' })}>
              <ContactIcon aria-hidden className="size-4" />
              {desk.contacts}
            </Link>
          </div>
          <Filters />
        </div>
        <ConversationList />
      </section>
      <Outlet />
    </div>
  );
}

function Filters() {
  const t = useMessages(conversationsMessages);
  const thumbs = useMessages(thumbsMessages);
  const common = useMessages(commonMessages);
  const search = route.useSearch();
  const navigate = useNavigate();
  const change = (changed: Partial<typeof search>) =>
    void navigate({ to: '.', search: (old) => ({ ...old, ...changed }), replace: true });
  return (
    <>
      <div className="*:w-full!">
        <SearchInput label={t.search} value={search.q} onChange={(q) => change({ q })} />
      </div>
      <div className="grid grid-cols-2 gap-2 *:w-full!">
        <TeamFilter value={search.team} onChange={(team) => change({ team })} />
        <ChoiceFilter
          label={common.status}
          all={t.allStates}
          value={search.state}
          onChange={(state) => change({ state })}
          choices={conversationStates.map((value) => ({ value, label: t.states[value] }))}
        />
        <ChoiceFilter
          label={t.needs}
          all={t.allNeeds}
          value={search.flag}
          onChange={(flag) => change({ flag })}
          choices={conversationFlags.map((value) => ({
            value,
            label: value === 'any' ? t.anyFlag : value === 'unanswered' ? t.unanswered : t.flags[value],
          }))}
        />
        <FlagFilter
          label={t.unread}
          all={t.readAndUnread}
          yes={t.unread}
          no={t.read}
          value={search.unread}
          onChange={(unread) => change({ unread })}
        />
        <ChoiceFilter
          label={thumbs.filter}
          all={thumbs.all}
          value={search.rating}
          onChange={(rating) => change({ rating })}
          choices={(['up', 'down'] as const).map((value) => ({ value, label: thumbs.choices[value] }))}
        />
        <AssigneeFilter value={search.assignee} onChange={(assignee) => change({ assignee })} />
      </div>
      {search.flag !== undefined && unansweredFlags.has(search.flag) && <WaitingOfBots />}
      {search.device !== undefined && <DeviceFilter id={search.device} />}
      {search.label !== undefined && (
        <FilterChip label={search.label} onClear={() => change({ label: undefined })} />
      )}
    </>
  );
}

const unansweredFlags = new Set(['unanswered', 'out_of_credits', 'provider_failed', 'bot_not_published']);
/** A team has few bots. */
const mostBots = 5;

/** Lets the bots of the chosen team, or the chosen bot, answer all that waits. */
function WaitingOfBots() {
  const search = route.useSearch();
  const actor = useActor();
  const team = search.team ?? actor.teamId ?? undefined;
  const { data } = useQuery({
    ...botsQuery({ team_id: team }),
    enabled: team !== undefined && search.bot === undefined,
  });
  if (search.bot !== undefined) return <AnswerWaiting bot={{ id: search.bot }} />;
  const bots = (data?.data ?? []).slice(0, mostBots);
  return bots.map(({ id, name }) => (
    <AnswerWaiting key={id} bot={bots.length === 1 ? { id } : { id, name }} />
  ));
}

function AssigneeFilter({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}) {
  const t = useMessages(deskMessages);
  const own = ownUserId();
  return (
    <ChoiceFilter
      label={t.assignee}
      all={t.everybody}
      value={value}
      onChange={onChange}
      choices={[
        ...(own === null ? [] : [{ value: own, label: t.me }]),
        { value: 'none', label: t.nobody },
        ...(value === undefined || value === own || value === 'none'
          ? []
          : [{ value, label: t.someoneElse }]),
      ]}
    />
  );
}

function DeviceFilter({ id }: { id: string }) {
  const t = useMessages(conversationsMessages);
  const navigate = useNavigate();
  const device = useQuery(liveDeviceQuery(id)).data;
  return (
    <FilterChip
      label={`${t.device}: ${device?.name ?? '…'}`}
      onClear={() => void navigate({ to: '.', search: (old) => ({ ...old, device: undefined }) })}
    />
  );
}

function ConversationList() {
  const t = useMessages(conversationsMessages);
  const common = useMessages(commonMessages);
  const search = route.useSearch();
  const navigate = useNavigate();
  const query = useInfiniteQuery({ ...inboxQuery(search), placeholderData: keepPreviousData });
  const loaded = query.data?.pages.flatMap(({ data }) => data);
  // A conversation that moved up while the pages were read is on two of them.
  const conversations = loaded && [...new Map(loaded.map((each) => [each.id, each])).values()];
  // An empty list of a team or a device is not the result of a search.
  const { team: _, device: __, ...searched } = search;
  const isSearched = Object.values(searched).some((value) => value !== undefined);
  if (conversations === undefined)
    return query.isError ? (
      <div className="p-4">
        <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
      </div>
    ) : (
      <ListSkeleton />
    );
  if (conversations.length === 0)
    return isSearched ? (
      <EmptyState
        icon={SearchX}
        title={common.noMatch}
        action={<Button onClick={() => void navigate({ to: '.', search: {} })}>{common.clearFilters}</Button>}
      />
    ) : (
      <EmptyState
        icon={Inbox}
        title={t.empty}
        action={
          <Link to="/devices" className={buttonClass()}>
            {t.toDevices}
          </Link>
        }
      >
        {t.emptyHint}
      </EmptyState>
    );
  return (
    <div className="flex-1 overflow-y-auto p-2">
      <InboxShortcuts conversations={conversations} />
      <ul className="grid gap-0.5">
        {conversations.map((conversation) => (
          <InboxItem key={conversation.id} conversation={conversation} />
        ))}
      </ul>
      {query.hasNextPage && (
        <Button
          look="ghost"
          className="mt-2 w-full"
          busy={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t.more}
        </Button>
      )}
    </div>
  );
}

/** Acts on the open conversation, or leads to its neighbours in the list. */
function InboxShortcuts({ conversations }: { conversations: readonly Conversation[] }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const may = useMay();
  const open = useMatchRoute()({ to: '/conversations/$conversationId' });
  const id = open === false ? undefined : open.conversationId;
  // The next key may come before the page of the last one is drawn, but the address has changed.
  const show = (distance: number) => {
    const place = conversations.findIndex((each) => window.location.pathname.endsWith(each.id));
    const conversation = conversations[place + distance];
    if (conversation !== undefined)
      void navigate({
        to: '/conversations/$conversationId',
        params: { conversationId: conversation.id },
        search: (old: object) => old,
      });
  };
  const change = (act: () => Promise<unknown>) =>
    void act()
      .then(() => queries.invalidateQueries({ queryKey: ['conversations'] }))
      .catch(toastError);
  const own = ownUserId();
  return (
    <Shortcuts
      actions={{
        next: () => show(1),
        previous: () => show(-1),
        search: () => document.querySelector<HTMLInputElement>('input[type=search]')?.focus(),
        reply: () => document.querySelector<HTMLTextAreaElement>('[data-composer]')?.focus(),
        ...(id !== undefined &&
          own !== null &&
          may('assignConversation') && {
            take: () => change(() => api.assignConversation({ id, user_id: own })),
          }),
        ...(id !== undefined &&
          may('closeConversation') && { close: () => change(() => api.closeConversation({ id })) }),
      }}
    />
  );
}

function InboxItem({ conversation }: { conversation: Conversation }) {
  const nameOf = useContactName();
  const t = useMessages(conversationsMessages);
  const { ago, number } = useFormats();
  const { teamId } = useActor();
  const { device_name, last_message, team_name, unread } = conversation;
  return (
    <li className="[contain-intrinsic-size:auto_5.5rem] [content-visibility:auto]">
      <Link
        to="/conversations/$conversationId"
        params={{ conversationId: conversation.id }}
        search={(old: object) => old}
        className="grid gap-0.5 rounded-lg px-3 py-2.5 hover:bg-hover aria-[current=page]:bg-hover"
      >
        <span className="flex items-baseline justify-between gap-3">
          <span className={cn('truncate tabular-nums', unread > 0 ? 'font-semibold' : 'font-medium')}>
            {nameOf(conversation)}
          </span>
          <span className="shrink-0 text-muted text-xs">
            {ago(last_message?.created_at ?? conversation.last_message_at)}
          </span>
        </span>
        <span className="flex items-center justify-between gap-2">
          <span className={cn('truncate text-[0.8125rem]', unread === 0 && 'text-muted')}>
            {last_message !== undefined && <Excerpt message={last_message} />}
          </span>
          {unread > 0 && (
            <span className="shrink-0 rounded-full bg-accent px-2 text-on-accent text-xs tabular-nums">
              <span aria-hidden>{number(unread)}</span>
              <span className="sr-only">{t.unreadCount(number(unread))}</span>
            </span>
          )}
        </span>
        <span className="flex min-h-5.5 items-center justify-between gap-2">
          <span className="truncate text-muted text-xs">
            {[teamId === null && team_name, device_name, conversation.assignee?.name]
              .filter(Boolean)
              .join(' · ')}
          </span>
          <ConversationBadges conversation={conversation} />
        </span>
        <Labels labels={conversation.labels} />
      </Link>
    </li>
  );
}

const Labels = ({ labels }: { labels: readonly string[] }) =>
  labels.length > 0 && (
    <span className="flex flex-wrap gap-1">
      {labels.map((label) => (
        <Badge key={label}>{label}</Badge>
      ))}
    </span>
  );

function Excerpt({ message: { direction, kind, origin, text } }: { message: LastMessage }) {
  const t = useMessages(conversationsMessages);
  const content = text === '' && kind !== 'text' ? t.kinds[kind] : text;
  return direction === 'in' ? content : `${t.origins[origin]}: ${content}`;
}

const ListSkeleton = () => (
  <div className="grid gap-3 p-4">
    {[1, 2, 3, 4].map((item) => (
      <Skeleton key={item} className="h-12" />
    ))}
  </div>
);

/** Why a person should look at the conversation, and whether the bot is paused. */
function ConversationBadges({ conversation: { flag, state } }: { conversation: Conversation }) {
  const t = useMessages(conversationsMessages);
  if (flag === undefined && state === 'bot') return null;
  return (
    <span className="flex shrink-0 gap-1">
      {flag !== undefined && (
        <Badge tone={flag === 'payment_captured' ? 'accent' : 'warning'}>{t.flags[flag]}</Badge>
      )}
      {state !== 'bot' && <Badge tone={state === 'paused' ? 'accent' : 'neutral'}>{t.states[state]}</Badge>}
    </span>
  );
}
