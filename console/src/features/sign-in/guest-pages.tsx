import { isParleyError, type Session } from '@parley/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Link2Off } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { issuesOf, people } from '../../api/client.ts';
import { endSession, startPersonSession } from '../../api/session.ts';
import { useBrandOf } from '../../app/brand.ts';
import { settings } from '../../app/settings.ts';
import { shellMessages } from '../../app/shell.messages.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { Spinner } from '../../components/ui/spinner.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { guestMessages } from './guest.messages.ts';
import { GuestPage } from './guest-page.tsx';
import { useSecondFactor } from './second-factor-field.tsx';

/** The token of the link, which leaves the address at once. Browsers do not send the part after #, so it stays out of logs. */
export function useLinkToken(): string {
  const [token] = useState(() => location.hash.slice(1));
  useEffect(() => history.replaceState(history.state, '', location.pathname), []);
  return token;
}

/** Begins the session that a link or a password gave, at the home page. */
function useEnter(): (session: Session) => void {
  const navigate = useNavigate();
  return (session) => {
    // Another person may have been signed in here.
    endSession();
    startPersonSession(session);
    void navigate({ to: '/', replace: true });
  };
}

export function SetUpPage() {
  const t = useMessages(guestMessages);
  const token = useLinkToken();
  const enter = useEnter();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const setUp = useMutation({
    mutationFn: () => people.setUp({ token, name: name.trim(), email: email.trim(), password }),
    onSuccess: enter,
  });
  const issues = issuesOf(setUp.error);
  return (
    <GuestPage title={t.setUp(settings.brand.name)} intro={t.setUpIntro}>
      <LinkForm
        error={setUp.error}
        busy={setUp.isPending}
        action={t.setUpAction}
        onSubmit={() => setUp.mutate()}
      >
        <Field label={t.name} error={issues['name']}>
          <Input
            required
            maxLength={100}
            autoComplete="name"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field label={t.email} error={issues['email']}>
          <Input
            required
            type="email"
            maxLength={254}
            autoComplete="username"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <NewPassword value={password} onChange={setPassword} issue={issues['password']} />
      </LinkForm>
    </GuestPage>
  );
}

export function InvitationPage() {
  const t = useMessages(guestMessages);
  const { roles } = useMessages(shellMessages);
  const token = useLinkToken();
  const enter = useEnter();
  const [password, setPassword] = useState('');
  const query = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => people.readInvitation({ token }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const accept = useMutation({
    mutationFn: () => people.acceptInvitation({ token, password }),
    onSuccess: enter,
  });
  useBrandOf(query.data?.brand);
  if (isUsed(query.error)) return <UsedLink />;
  const place = query.data?.team?.name ?? settings.brand.name;
  return (
    <GuestPage
      title={t.invitation(place)}
      intro={query.data && t.invitationIntro(query.data.name, roles[query.data.role])}
    >
      <Loaded query={query}>
        {({ email }) => (
          <LinkForm
            error={accept.error}
            busy={accept.isPending}
            action={t.accept}
            onSubmit={() => accept.mutate()}
          >
            <Field label={t.email}>
              <Input type="email" autoComplete="username" readOnly value={email} />
            </Field>
            <NewPassword value={password} onChange={setPassword} issue={issuesOf(accept.error)['password']} />
          </LinkForm>
        )}
      </Loaded>
    </GuestPage>
  );
}

/** A link that signs in at once. */
export function EnterPage() {
  const t = useMessages(guestMessages);
  const token = useLinkToken();
  const enter = useEnter();
  const started = useRef(false);
  const signIn = useMutation({ mutationFn: () => people.signInWithLink({ token }), onSuccess: enter });
  useEffect(() => {
    // The link works once, and development mode runs effects twice.
    if (started.current) return;
    started.current = true;
    signIn.mutate();
  }, [signIn]);
  if (isUsed(signIn.error)) return <UsedLink />;
  return (
    <GuestPage title={t.entering}>
      <div className="mt-6">{signIn.isError ? <ErrorNotice error={signIn.error} /> : <Spinner />}</div>
    </GuestPage>
  );
}

export function ResetPage() {
  const t = useMessages(guestMessages);
  const token = useLinkToken();
  const enter = useEnter();
  const [password, setPassword] = useState('');
  const reset = useMutation({
    mutationFn: () => people.signInWithLink({ token, password, ...second.input }),
    onSuccess: enter,
  });
  const second = useSecondFactor(reset.error);
  return (
    <GuestPage title={t.reset} intro={t.resetIntro}>
      <LinkForm
        error={second.isShown ? null : reset.error}
        busy={reset.isPending}
        action={t.resetAction}
        onSubmit={() => reset.mutate()}
      >
        <NewPassword value={password} onChange={setPassword} issue={issuesOf(reset.error)['password']} />
        {second.field}
      </LinkForm>
    </GuestPage>
  );
}

export const isUsed = (error: unknown): boolean =>
  isParleyError(error, 'link_used') || isParleyError(error, 'validation');

export function UsedLink() {
  const t = useMessages(guestMessages);
  return (
    <GuestPage title={t.used}>
      <EmptyState icon={Link2Off} title={t.used}>
        {t.usedHint}
      </EmptyState>
    </GuestPage>
  );
}

function LinkForm({
  error,
  busy,
  action,
  onSubmit,
  children,
}: {
  error: unknown;
  busy: boolean;
  action: string;
  onSubmit: () => void;
  children: ReactNode;
}) {
  const t = useMessages(guestMessages);
  const shown = isParleyError(error, 'link_used') ? new Error(`${t.used}. ${t.usedHint}`) : error;
  const hasIssues = Object.keys(issuesOf(error)).some((path) => path !== 'token');
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        onSubmit();
      }}
      className="mt-6 grid gap-4"
    >
      {children}
      {shown !== null && !hasIssues && <ErrorNotice error={shown} />}
      <Button type="submit" look="primary" busy={busy}>
        {action}
      </Button>
    </form>
  );
}

function NewPassword({
  value,
  onChange,
  issue,
}: {
  value: string;
  onChange: (value: string) => void;
  issue: string | undefined;
}) {
  const t = useMessages(guestMessages);
  return (
    <PasswordField
      isNew
      label={t.newPassword}
      hint={t.passwordHint}
      error={issue}
      value={value}
      onChange={onChange}
    />
  );
}
