import { createParley, isParleyError, type LinkStatus } from '@parley/sdk';
import { type UseMutationResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleCheck, CircleSlash, Link2Off, QrCode } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { issuesOf } from '../../api/client.ts';
import { useBrandOf } from '../../app/brand.ts';
import { BrandMark } from '../../app/brand-mark.tsx';
import { useBrand } from '../../app/settings.ts';
import { CopyText } from '../../components/copy-text.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { Spinner } from '../../components/ui/spinner.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { linkMessages } from './link.messages.ts';

/** The token of the link is the only credential of this page. */
const api = createParley({ baseUrl: location.origin, token: '', maxRetries: 2, maxDelayMs: 5_000 });

/** A code lives about 3 minutes. An hour is enough for somebody who looks for the phone. */
const maxRenewals = 20;

const final = new Set(['linked', 'refused']);

/** Shows a person without a login the QR code or the pairing code that links a phone, and the progress. */
export function LinkPage() {
  const t = useMessages(linkMessages);
  // Browsers do not send the part after #, so the token stays out of logs.
  const token = location.hash.slice(1);
  const query = useQuery({
    queryKey: ['link', token],
    queryFn: ({ signal }) => api.getLinkStatus({ token }, { signal }),
    enabled: token !== '',
    refetchInterval: ({ state: { data, error } }) =>
      final.has(data?.state ?? '') || error !== null ? false : 2_000,
  });
  const connect = useConnect(token, query.data);
  const store = useStore(token);
  const brand = useQuery({
    queryKey: ['link', 'brand', token],
    queryFn: ({ signal }) => api.getLinkBrand({ token }, { signal }),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
  });
  useBrandOf(brand.data);
  const { name } = useBrand();
  const title = query.data?.credentials === undefined ? t.title : t.accountTitle;
  useEffect(() => {
    document.title = `${title} · ${name}`;
  }, [title, name]);
  const isExpired =
    token === '' || isParleyError(query.error, 'link_not_found') || isParleyError(query.error, 'validation');
  return (
    <main className="grid min-h-dvh content-start justify-items-center gap-8 bg-surface px-4 py-8 sm:content-center">
      <BrandMark />
      <h1 className="sr-only">{title}</h1>
      <div className="w-full max-w-3xl rounded-2xl border bg-card p-6 shadow-popup sm:p-10">
        {isExpired ? (
          <EmptyState icon={Link2Off} title={t.expired}>
            {t.expiredHint}
          </EmptyState>
        ) : query.error !== null ? (
          <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <Progress connect={connect} store={store} status={query.data} />
        )}
      </div>
    </main>
  );
}

type Connect = UseMutationResult<LinkStatus, Error, string | undefined>;

/** Begins with the number of the phone, or without one for a QR code. Begins again when a code that the page showed ends unused. */
function useConnect(token: string, status: LinkStatus | undefined): Connect {
  const queries = useQueryClient();
  const connect: Connect = useMutation({
    mutationFn: (number) =>
      api.connectLink({ token, ...(number !== undefined && { pairing_phone_number: number }) }),
    onSuccess: (data) => queries.setQueryData(['link', token], data),
  });
  const renewals = useRef(0);
  const showedCode = useRef(false);
  showedCode.current ||= status?.state === 'scan';
  const { isError, isPending, isSuccess, mutate, variables } = connect;
  const isDue = status?.timed_out === true && !isPending && !isError && (isSuccess || showedCode.current);
  useEffect(() => {
    if (!isDue || renewals.current >= maxRenewals) return;
    renewals.current += 1;
    mutate(variables);
  }, [isDue, mutate, variables]);
  return connect;
}

type Store = UseMutationResult<LinkStatus, Error, Record<string, string>>;

/** Its data keep what the person has to enter at the network. */
function useStore(token: string): Store {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (credentials) => api.putLinkCredentials({ token, ...credentials }),
    onSuccess: (data) => queries.setQueryData(['link', token], data),
  });
}

function Progress({
  connect,
  store,
  status,
}: {
  connect: Connect;
  store: Store;
  status: LinkStatus | undefined;
}) {
  const t = useMessages(linkMessages);
  switch (status?.state) {
    case 'scan':
      return (
        <ShownCode
          status={status}
          title={t.scanTitle(status.device_name)}
          steps={Object.values(t.steps)}
          waiting={t.waiting}
        >
          <img
            src={status.qr_code}
            alt={t.qrCode}
            className="mx-auto size-64 rounded-xl border bg-white p-2"
          />
        </ShownCode>
      );
    case 'pair':
      return (
        <ShownCode
          status={status}
          title={t.pairTitle(status.device_name)}
          steps={[t.steps.open, t.steps.choose, t.enterCode]}
          waiting={t.waitingForEntry}
        >
          <p className="rounded-xl border p-6 text-center font-mono text-3xl tracking-widest">
            {status.pairing_code}
          </p>
        </ShownCode>
      );
    case 'credentials':
      return <CredentialsForm store={store} status={status} />;
    case 'linked':
      return <Linked store={store} status={status} />;
    case 'refused':
      return (
        <EmptyState icon={CircleSlash} title={t.refused}>
          {status.message}
        </EmptyState>
      );
    case 'stopped':
      return <Start connect={connect} status={status} />;
    default:
      return <Waiting>{status?.credentials === undefined ? t.preparing : t.checking}</Waiting>;
  }
}

function CredentialsForm({ store, status }: { store: Store; status: LinkStatus }) {
  const t = useMessages(linkMessages);
  // The form closes while the network checks them.
  const [values, setValues] = useState(store.variables ?? {});
  if (store.isPending) return <Waiting>{t.checking}</Waiting>;
  const issues = issuesOf(store.error);
  const { credentials: names = [], credentials_problem: problem } = status;
  return (
    <form
      className="mx-auto grid max-w-md gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        store.mutate(values);
      }}
    >
      <h2 className="text-lg font-semibold tracking-tight">{t.credentialsTitle(status.device_name)}</h2>
      {store.error === null && problem !== undefined && (
        <p role="alert" className="rounded-xl border border-danger/40 bg-danger/5 p-4">
          {t.problems[problem]}
        </p>
      )}
      {names.map((name) => (
        <Field
          key={name}
          label={t.credentials[name as keyof typeof t.credentials] ?? name}
          error={issues[name] === undefined ? undefined : t.malformed}
        >
          <Input
            type={secretFields.has(name) ? 'password' : 'text'}
            autoComplete="off"
            required
            value={values[name] ?? ''}
            onChange={(event) => setValues({ ...values, [name]: event.target.value.trim() })}
          />
        </Field>
      ))}
      {store.error !== null && Object.keys(issues).length === 0 && <ErrorNotice error={store.error} />}
      <Button type="submit" look="primary">
        {t.connect}
      </Button>
    </form>
  );
}

const secretFields = new Set(['access_token', 'app_secret', 'bot_token']);

function Linked({ store, status }: { store: Store; status: LinkStatus }) {
  const t = useMessages(linkMessages);
  const { webhook_url: url, verify_token: token } = store.data ?? {};
  // The other networks with credentials learn the address from Parley.
  const needsWebhook = status.credentials?.includes('waba_id') === true;
  return (
    <>
      <EmptyState icon={CircleCheck} title={status.credentials === undefined ? t.linked : t.connected}>
        {needsWebhook && url !== undefined ? t.webhookHint : t.linkedHint(status.device_name)}
      </EmptyState>
      {needsWebhook && url !== undefined && token !== undefined && (
        <dl className="grid gap-1 rounded-lg border bg-hover p-4">
          <dt className="text-muted">{t.webhookUrl}</dt>
          <dd>
            <CopyText text={url} label={t.webhookUrl} />
          </dd>
          <dt className="mt-2 text-muted">{t.verifyToken}</dt>
          <dd>
            <CopyText text={token} label={t.verifyToken} />
          </dd>
        </dl>
      )}
    </>
  );
}

/** A phone cannot scan its own screen. */
const isPhone = (): boolean => matchMedia('(pointer: coarse) and (max-width: 40rem)').matches;

function Start({ connect, status }: { connect: Connect; status: LinkStatus }) {
  const t = useMessages(linkMessages);
  const { pairing } = status;
  const [number, setNumber] = useState('');
  const [wantsCode, setWantsCode] = useState(isPhone);
  if (connect.isPending) return <Waiting>{t.preparing}</Waiting>;
  const other = pairing && (
    <Button look="ghost" onClick={() => setWantsCode(!wantsCode)}>
      {wantsCode ? t.useQrCode : t.useNumber}
    </Button>
  );
  if (pairing && wantsCode)
    return (
      <form
        className="mx-auto grid max-w-sm gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          connect.mutate(number.replaceAll(/[\s()./-]/g, ''));
        }}
      >
        <h2 className="text-lg font-semibold tracking-tight">{t.startTitle(status.device_name)}</h2>
        <Field label={t.number} hint={t.numberHint}>
          <Input
            type="tel"
            autoComplete="tel"
            required
            placeholder="+15550123"
            value={number}
            onChange={(event) => setNumber(event.target.value)}
          />
        </Field>
        {connect.error !== null && <ErrorNotice error={connect.error} />}
        <Button type="submit" look="primary">
          {t.showCode}
        </Button>
        {other}
      </form>
    );
  return (
    <>
      <EmptyState
        icon={QrCode}
        title={t.startTitle(status.device_name)}
        action={
          <div className="flex flex-wrap justify-center gap-2">
            <Button look="primary" onClick={() => connect.mutate(undefined)}>
              {t.start}
            </Button>
            {other}
          </div>
        }
      >
        {t.startHint}
      </EmptyState>
      {connect.error !== null && <ErrorNotice error={connect.error} />}
    </>
  );
}

function ShownCode({
  status,
  title,
  steps,
  waiting,
  children,
}: {
  status: LinkStatus;
  title: string;
  steps: readonly string[];
  waiting: string;
  children: ReactNode;
}) {
  const t = useMessages(linkMessages);
  const { time } = useFormats();
  return (
    <div className="grid items-center justify-center gap-8 md:grid-cols-[auto_minmax(0,22rem)]">
      {children}
      <div className="grid gap-4">
        <h2 className="text-lg font-semibold tracking-tight">{title}</h2>
        <ol className="grid list-decimal gap-1.5 pl-5 marker:text-muted">
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <p role="status" className="flex items-center gap-2 text-muted">
          <Spinner />
          {waiting}
        </p>
        <p className="text-muted text-[0.8125rem]">{t.expires(time(status.expires_at))}</p>
      </div>
    </div>
  );
}

const Waiting = ({ children }: { children: ReactNode }) => (
  <p role="status" className="flex items-center justify-center gap-3 py-16 text-muted">
    <Spinner className="size-5" />
    {children}
  </p>
);
