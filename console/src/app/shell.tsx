import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { BookOpen, ChevronsUpDown, Lock, LogOut, Menu as MenuIcon, Search, UserRound } from 'lucide-react';
import { memo, useEffect, useEffectEvent, useState } from 'react';
import { signOut } from '../api/client.ts';
import { chooseTeam } from '../api/session.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { lazyDialog } from '../components/lazily.tsx';
import { Page } from '../components/page.tsx';
import { Button } from '../components/ui/button.tsx';
import { Menu, MenuChoices, MenuItem, MenuSeparator } from '../components/ui/menu.tsx';
import { toastError } from '../components/ui/toast.tsx';
import { SignInAgain } from '../features/sign-in/sign-in-again.tsx';
import { localeNames, locales } from '../i18n/locales.ts';
import { useFormats, useLocale, useMessages } from '../i18n/use-locale.ts';
import { cn } from '../lib/class-names.ts';
import { useTheme } from './appearance.ts';
import { countOf, useAttention } from './attention.ts';
import { useTeamBrand } from './brand.ts';
import { BrandMark } from './brand-mark.tsx';
import { LiveFeedContext, useLiveFeed, useSound } from './live-feed.ts';
import { canOpen, menuOf, type NavigationItem } from './navigation.ts';
import { themes } from './preferences.ts';
import { settings } from './settings.ts';
import { shellMessages } from './shell.messages.ts';
import { StaleNotice } from './stale-notice.tsx';
import { useActor } from './use-session.ts';

const Palette = lazyDialog(() => import('../features/palette/palette.tsx'), 'Palette');

/** The frame of all pages of a signed-in user. Memoized, because its parent renders again whenever the address changes. */
export const Shell = memo(() => {
  const t = useMessages(shellMessages);
  const deadSince = useLiveFeed();
  const [searching, setSearching] = useState(false);
  const search = () => setSearching(true);
  usePaletteKey(search);
  useSound();
  useTeamBrand();
  return (
    <div className="min-h-dvh lg:pl-60 print:pl-0">
      <a
        href="#content"
        className="sr-only z-50 rounded-lg bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        {t.skipToContent}
      </a>
      <aside className="fixed inset-y-0 left-0 w-60 border-r bg-surface max-lg:hidden print:hidden">
        <Sidebar onSearch={search} />
      </aside>
      <MobileBar onSearch={search} />
      <StaleNotice />
      <main id="content" tabIndex={-1} className="outline-none">
        <LiveFeedContext value={deadSince}>
          <AllowedPage />
        </LiveFeedContext>
      </main>
      {searching && <Palette onClose={() => setSearching(false)} />}
      <SignInAgain />
    </div>
  );
});

/** A short notice is a dialog, too, but not a modal one. */
const modalDialog = ':is([role=dialog], [role=alertdialog]):not([aria-modal=false])';

/** Calls `onKey` for Ctrl+K and Cmd+K, unless a dialog is open. */
function usePaletteKey(onKey: () => void): void {
  const handle = useEffectEvent(onKey);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { altKey, ctrlKey, key, metaKey, shiftKey } = event;
      if (key.toLowerCase() !== 'k' || !(ctrlKey || metaKey) || altKey || shiftKey) return;
      // The browser would search the web.
      event.preventDefault();
      if (document.querySelector(modalDialog) === null) handle();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

function AllowedPage() {
  const t = useMessages(shellMessages);
  const actor = useActor();
  const pathname = useLocation({ select: (location) => location.pathname });
  if (canOpen(actor, pathname)) return <Outlet />;
  return (
    <Page title={t.forbidden}>
      <div className="rounded-xl border bg-card">
        <EmptyState icon={Lock} title={t.forbidden}>
          {t.forbiddenHint}
        </EmptyState>
      </div>
    </Page>
  );
}

function MobileBar({ onSearch }: { onSearch: () => void }) {
  const t = useMessages(shellMessages);
  const [open, setOpen] = useState(false);
  const pathname = useLocation({ select: (location) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes the menu when the page changes
  useEffect(() => setOpen(false), [pathname]);
  return (
    <header className="sticky top-0 z-30 flex h-14 items-center gap-2 border-b bg-background px-3 lg:hidden print:hidden">
      <BaseDialog.Root open={open} onOpenChange={setOpen}>
        <BaseDialog.Trigger render={<Button look="ghost" size="icon" aria-label={t.openMenu} />}>
          <MenuIcon aria-hidden className="size-5" />
        </BaseDialog.Trigger>
        <BaseDialog.Portal>
          <BaseDialog.Backdrop className="fixed inset-0 z-40 bg-black/45 transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0" />
          <BaseDialog.Popup
            aria-label={t.navigation}
            className="fixed inset-y-0 left-0 z-40 w-72 max-w-[85vw] border-r bg-surface outline-none transition-[translate] duration-200 data-ending-style:-translate-x-full data-starting-style:-translate-x-full"
          >
            <Sidebar />
          </BaseDialog.Popup>
        </BaseDialog.Portal>
      </BaseDialog.Root>
      <BrandMark />
      <Button look="ghost" size="icon" className="ml-auto" aria-label={t.search} onClick={onSearch}>
        <Search aria-hidden className="size-5" />
      </Button>
    </header>
  );
}

function Sidebar({ onSearch }: { onSearch?: () => void }) {
  const t = useMessages(shellMessages);
  const actor = useActor();
  const [main = [], administration = []] = menuOf(actor);
  // For developers, who have a key or belong to the partner.
  const isOfTeam = (actor.person !== null || actor.portal !== null) && actor.teamId !== null;
  return (
    <div className="flex h-full flex-col">
      <Link to="/" className="flex h-16 items-center px-5">
        <BrandMark />
      </Link>
      <nav aria-label={t.navigation} className="flex-1 overflow-y-auto px-3">
        {onSearch !== undefined && (
          <button type="button" className={cn(itemClass, 'mb-2 w-full border')} onClick={onSearch}>
            <Search aria-hidden className="size-4" />
            {t.search}
            <kbd className="ml-auto text-xs">Ctrl K</kbd>
          </button>
        )}
        <ItemList items={main} />
        {administration.length > 0 && (
          <>
            <p className="mt-6 mb-1 px-2.5 font-medium text-muted text-xs">{t.administration}</p>
            <ItemList items={administration} />
          </>
        )}
      </nav>
      <div className="border-t p-3">
        {!isOfTeam && (
          <a href="/api/openapi/reference" className={itemClass}>
            <BookOpen aria-hidden className="size-4" />
            {t.reference}
          </a>
        )}
        <AccountMenu />
      </div>
    </div>
  );
}

const itemClass =
  'flex h-9 items-center gap-2.5 rounded-lg px-2.5 font-medium text-muted hover:bg-hover hover:text-foreground aria-[current=page]:bg-hover aria-[current=page]:text-foreground aria-[current=page]:[&_svg]:text-accent-text';

function ItemList({ items }: { items: readonly NavigationItem[] }) {
  const t = useMessages(shellMessages);
  const attention = useAttention();
  return (
    <ul className="grid gap-0.5">
      {items
        .filter(({ simulator }) => !simulator || settings.simulator)
        .map(({ to, label, icon: Icon, attention: kinds = [] }) => (
          <li key={to}>
            <Link to={to} activeOptions={{ exact: to === '/' }} className={itemClass}>
              <Icon aria-hidden className="size-4" />
              {t[label] as string}
              <CountBadge count={countOf(attention, kinds)} />
            </Link>
          </li>
        ))}
    </ul>
  );
}

function CountBadge({ count }: { count: number }) {
  const t = useMessages(shellMessages);
  const { number } = useFormats();
  if (count === 0) return null;
  return (
    <span className="ml-auto rounded-full bg-warning/15 px-2 text-warning text-xs tabular-nums">
      <span aria-hidden>{count > 99 ? '99+' : number(count)}</span>
      <span className="sr-only">{t.needAttention(number(count))}</span>
    </span>
  );
}

function AccountMenu() {
  const t = useMessages(shellMessages);
  const { keyId, person, portal, teamId, role } = useActor();
  const navigate = useNavigate();
  const { theme, setTheme } = useTheme();
  const { locale, setLocale } = useLocale();
  return (
    <Menu
      side="top"
      align="start"
      trigger={
        <button
          type="button"
          title={t.account}
          className="mt-0.5 flex w-full items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-left hover:bg-hover"
        >
          <span className="min-w-0 flex-1">
            <span className="block truncate font-medium">
              {person?.user.name ?? portal?.team.name ?? keyId}
            </span>
            <span className="block truncate text-muted text-xs">
              {portal === null
                ? teamId === null
                  ? t.allTeamsKey
                  : (person?.team?.name ?? t.oneTeamKey)
                : t.portal}
              {role !== null && ` · ${t.roles[role]}`}
            </span>
          </span>
          <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-muted" />
        </button>
      }
    >
      {person !== null && (
        <MenuItem onClick={() => void navigate({ to: '/account' })}>
          <UserRound aria-hidden className="size-4" />
          {t.myAccount}
        </MenuItem>
      )}
      {person !== null && person.memberships.length > 1 && (
        <MenuChoices
          label={t.chooseTeam}
          value={teamId ?? ''}
          onChange={(chosen) => chooseTeam(chosen === '' ? null : chosen)}
          choices={person.memberships.map(({ team }) => ({
            value: team?.id ?? '',
            label: team?.name ?? t.allTeamsKey,
          }))}
        />
      )}
      <MenuChoices
        label={t.theme}
        value={theme}
        onChange={setTheme}
        choices={themes.map((value) => ({ value, label: t.themes[value] }))}
      />
      <MenuChoices
        label={t.language}
        value={locale}
        onChange={setLocale}
        choices={locales.map((value) => ({ value, label: localeNames[value] }))}
      />
      {portal === null && (
        <>
          <MenuSeparator />
          <MenuItem onClick={() => void signOut().catch(toastError)}>
            <LogOut aria-hidden className="size-4" />
            {t.signOut}
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
