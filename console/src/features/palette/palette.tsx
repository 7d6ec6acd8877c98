import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { api } from '../../api/client.ts';
import { pagesOf } from '../../app/navigation.ts';
import { settings } from '../../app/settings.ts';
import { shellMessages } from '../../app/shell.messages.ts';
import { useMay } from '../../app/use-may.ts';
import { useActor } from '../../app/use-session.ts';
import { Dialog } from '../../components/ui/dialog.tsx';
import { Input } from '../../components/ui/field.tsx';
import { useContactName } from '../../components/use-contact-label.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { matchesWords } from './matches-words.ts';
import { readPageActions } from './page-actions.ts';
import { paletteMessages } from './palette.messages.ts';

interface Choice {
  label: string;
  hint?: string | undefined;
  run: () => void;
}

const maxConversations = 6;
const searchDelayMs = 200;

/** Leads to a page or a conversation, or does what the open page offers. */
export function Palette({ onClose }: { onClose: () => void }) {
  const t = useMessages(paletteMessages);
  return (
    <Dialog open onOpenChange={onClose} title={t.title}>
      <Search onClose={onClose} />
    </Dialog>
  );
}

function Search({ onClose }: { onClose: () => void }) {
  const t = useMessages(paletteMessages);
  const listId = useId();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const [actions] = useState(readPageActions);
  const pages = usePages();
  const conversations = useConversations(text);
  const matching = (choices: Choice[]) => choices.filter(({ label }) => matchesWords(label, text));
  const groups = [
    { name: t.actions, choices: matching(actions) },
    { name: t.pages, choices: matching(pages) },
    { name: t.conversations, choices: conversations },
  ].filter((group) => group.choices.length > 0);
  const choices = groups.flatMap((group) => group.choices);
  const place = Math.min(chosen, choices.length - 1);
  useEffect(() => {
    document.getElementById(`${listId}-${place}`)?.scrollIntoView({ block: 'nearest' });
  }, [listId, place]);
  const run = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    onClose();
    // The dialog first gives the focus back to where it was.
    setTimeout(choice.run);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const moved = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (moved !== undefined && choices.length > 0)
      setChosen((place + moved + choices.length) % choices.length);
    else if (event.key === 'Enter') run(choices[place]);
    else return;
    event.preventDefault();
  };
  return (
    <div className="grid gap-3">
      <Input
        role="combobox"
        aria-expanded={choices.length > 0}
        aria-controls={listId}
        aria-activedescendant={choices.length > 0 ? `${listId}-${place}` : undefined}
        aria-autocomplete="list"
        aria-label={t.search}
        placeholder={t.search}
        autoComplete="off"
        maxLength={100}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <p role="status" className={choices.length > 0 ? 'sr-only' : 'text-muted'}>
        {choices.length > 0 ? t.found(String(choices.length)) : t.nothing}
      </p>
      <div id={listId} role="listbox" aria-label={t.title} className="-mx-2 h-80 overflow-y-auto px-2">
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place in a listbox
          <div key={group.name} role="group" aria-label={group.name} className="mb-2">
            <p aria-hidden className="px-2.5 py-1 text-muted text-xs">
              {group.name}
            </p>
            {group.choices.map((choice) => {
              const index = choices.indexOf(choice);
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
                <div
                  key={index}
                  id={`${listId}-${index}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === place}
                  className="flex cursor-default items-baseline gap-3 rounded-md px-2.5 py-1.5 hover:bg-hover aria-selected:bg-hover"
                  // The text must keep the focus.
                  onPointerDown={(event) => event.preventDefault()}
                  onClick={() => run(choice)}
                >
                  <span className="shrink-0 max-w-full truncate font-medium">{choice.label}</span>
                  {choice.hint !== undefined && (
                    <span className="truncate text-muted text-[0.8125rem]">{choice.hint}</span>
                  )}
                </div>
              );
            })}
          </div>
        ))}
      </div>
    </div>
  );
}

/** The pages of the menu, and those to which other pages lead. */
function usePages(): Choice[] {
  const t = useMessages(shellMessages);
  const actor = useActor();
  const navigate = useNavigate();
  const pages = pagesOf(actor)
    .filter(({ simulator }) => simulator !== true || settings.simulator)
    .map(({ to, label }) => ({ label: t[label] as string, to }));
  const own = actor.person === null ? [] : [{ label: t.myAccount, to: '/account' }];
  return [...pages, ...own].map(({ label, to }) => ({ label, run: () => void navigate({ to }) }));
}

/** Finds conversations when the user pauses, and leads to all of them. */
function useConversations(text: string): Choice[] {
  const nameOf = useContactName();
  const t = useMessages(paletteMessages);
  const navigate = useNavigate();
  const may = useMay();
  const [searched, setSearched] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSearched(text.trim()), searchDelayMs);
    return () => clearTimeout(timer);
  }, [text]);
  const isAsked = searched.length > 1 && may('listConversations');
  const { data } = useQuery({
    queryKey: ['conversations', 'palette', searched],
    queryFn: ({ signal }) =>
      api.listConversations({ q: searched, limit: maxConversations, sort: 'last_message_at' }, { signal }),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  });
  if (!isAsked || text.trim().length < 2 || data === undefined || data.data.length === 0) return [];
  return [
    ...data.data.map((conversation) => ({
      label: nameOf(conversation),
      hint: conversation.last_message?.text || (conversation.device_name ?? undefined),
      run: () =>
        void navigate({
          to: '/conversations/$conversationId',
          params: { conversationId: conversation.id },
        }),
    })),
    {
      label: t.allWith(searched),
      run: () => void navigate({ to: '/conversations', search: { q: searched } }),
    },
  ];
}
