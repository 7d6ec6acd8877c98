import { isParleyError, type SessionEntry } from '@parley/sdk';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, issuesOf, people } from '../../api/client.ts';
import { startPersonSession } from '../../api/session.ts';
import { shellMessages } from '../../app/shell.messages.ts';
import { useActor } from '../../app/use-session.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Facts } from '../../components/facts.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { Badge } from '../../components/ui/badge.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { Field } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { toastError, toastSuccess } from '../../components/ui/toast.tsx';
import { localeNames, locales } from '../../i18n/locales.ts';
import { useFormats, useLocale, useMessages } from '../../i18n/use-locale.ts';
import { accountMessages } from './account.messages.ts';
import { AlertsCard } from './alerts-card.tsx';
import { PasskeysCard } from './passkeys-card.tsx';
import { SecondFactorCard } from './second-factor-card.tsx';

const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => api.listSessions(undefined, { signal }),
});

export function AccountPage() {
  const t = useMessages(accountMessages);
  const shell = useMessages(shellMessages);
  const { person } = useActor();
  const { locale, setLocale } = useLocale();
  return (
    <Page title={t.title} description={person === null ? t.noPerson : undefined}>
      <Card>
        <div className="grid gap-5">
          {person !== null && (
            <Facts
              facts={[
                [t.name, person.user.name],
                [t.email, person.user.email],
                [t.role, shell.roles[person.role]],
              ]}
            />
          )}
          <Field label={shell.language} className="max-w-xs">
            <Select
              value={locale}
              onChange={setLocale}
              choices={locales.map((value) => ({ value, label: localeNames[value] }))}
            />
          </Field>
        </div>
      </Card>
      {person !== null && (
        <>
          {person.has_password || person.password_settable ? (
            <PasswordCard needsCurrent={!person.password_settable} />
          ) : (
            <Card title={t.password}>
              <p className="text-muted">{t.noPassword}</p>
            </Card>
          )}
          <AlertsCard />
          <PasskeysCard />
          <SecondFactorCard person={person} />
          <Sessions />
        </>
      )}
    </Page>
  );
}

function PasswordCard({ needsCurrent }: { needsCurrent: boolean }) {
  const t = useMessages(accountMessages);
  const queries = useQueryClient();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const change = useMutation({
    mutationFn: () =>
      people.changePassword({ password, ...(needsCurrent ? { current_password: current } : {}) }),
    async onSuccess(session) {
      startPersonSession(session);
      setCurrent('');
      setPassword('');
      await queries.invalidateQueries(sessionsQuery);
      toastSuccess(t.passwordChanged);
    },
  });
  const issues = issuesOf(change.error);
  const isWrong = isParleyError(change.error, 'password_wrong');
  return (
    <Card title={t.password} description={t.passwordHint}>
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          change.mutate();
        }}
        className="grid max-w-xs gap-4"
      >
        {needsCurrent && (
          <PasswordField
            label={t.current}
            error={isWrong ? t.wrong : issues['current_password']}
            value={current}
            onChange={setCurrent}
          />
        )}
        <PasswordField
          isNew
          label={t.new}
          hint={t.newHint}
          error={issues['password']}
          value={password}
          onChange={setPassword}
        />
        {change.isError && !isWrong && Object.keys(issues).length === 0 && (
          <ErrorNotice error={change.error} />
        )}
        <div>
          <Button type="submit" look="primary" busy={change.isPending}>
            {t.change}
          </Button>
        </div>
      </form>
    </Card>
  );
}

function Sessions() {
  const t = useMessages(accountMessages);
  const query = useQuery(sessionsQuery);
  const queries = useQueryClient();
  const end = async (work: () => Promise<unknown>) => {
    await work();
    await queries.invalidateQueries(sessionsQuery);
    toastSuccess(t.ended);
  };
  const others = query.data?.some(({ current }) => !current) === true;
  return (
    <Card
      title={t.sessions}
      description={t.sessionsHint}
      actions={
        others && (
          <Button size="small" onClick={() => void end(() => api.endOtherSessions()).catch(toastError)}>
            {t.endOthers}
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {(sessions) => (
          <ul className="grid gap-3">
            {sessions.map((session) => (
              <SessionRow
                key={session.id}
                session={session}
                onEnd={() => void end(() => api.endSession({ id: session.id })).catch(toastError)}
              />
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}

function SessionRow({ session, onEnd }: { session: SessionEntry; onEnd: () => void }) {
  const t = useMessages(accountMessages);
  const { dateTime, ago } = useFormats();
  const { user_agent: agent, address, created_at, last_seen_at, current } = session;
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b pb-3 last:border-b-0 last:pb-0">
      <div className="min-w-0 flex-1">
        <p className="line-clamp-2 wrap-anywhere">{agent ?? t.unknownBrowser}</p>
        <p className="text-muted text-[0.8125rem]">
          {address} · {t.since(dateTime(created_at))} · {t.lastSeen(ago(last_seen_at))}
        </p>
      </div>
      {current ? (
        <Badge tone="accent">{t.thisOne}</Badge>
      ) : (
        <Button size="small" aria-label={`${t.end}: ${agent ?? t.unknownBrowser}`} onClick={onEnd}>
          {t.end}
        </Button>
      )}
    </li>
  );
}
