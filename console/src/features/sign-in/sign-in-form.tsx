import { isParleyError } from '@parley/sdk';
import { type ClipboardEvent, type FormEvent, lazy, Suspense, useState } from 'react';
import { signInWithKey, signInWithPassword } from '../../api/client.ts';
import { getSession } from '../../api/session.ts';
import { canUsePasskeys } from '../../app/can-use-passkeys.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { type AskedCode, CodeForm, MailMeans } from './mail-sign-in.tsx';
import { OidcMeans } from './oidc-means.tsx';
import { useSecondFactor } from './second-factor-field.tsx';
import { signInMessages } from './sign-in.messages.ts';
import { useSignInMeans } from './use-sign-in-means.ts';

const PasskeyMeans = lazy(async () => ({ default: (await import('./passkey-means.tsx')).PasskeyMeans }));

/** Signs in a person or, for developers, an API key. Again in the same way as before, if there was a session. */
export function SignInForm() {
  const t = useMessages(signInMessages);
  const before = getSession();
  const [usesKey, setUsesKey] = useState(before !== null && before.keyId !== null);
  return (
    <>
      {usesKey ? <KeyForm /> : <PersonForm email={before?.person?.user.email ?? ''} />}
      <Button look="link" size="inline" className="mt-5" onClick={() => setUsesKey(!usesKey)}>
        {usesKey ? t.usePassword : t.useKey}
      </Button>
    </>
  );
}

/** Runs a sign-in, and keeps its state for the form. */
function useSignIn(signIn: () => Promise<void>) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await signIn();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, submit: (event: FormEvent) => void submit(event) };
}

function PersonForm({ email: known }: { email: string }) {
  const t = useMessages(signInMessages);
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const [asked, setAsked] = useState<AskedCode | null>(null);
  const means = useSignInMeans();
  const sendsMail = means?.code === true;
  const { busy, error, submit } = useSignIn(() =>
    signInWithPassword({ email: email.trim(), password, ...second.input }),
  );
  const second = useSecondFactor(error);
  if (asked !== null) return <CodeForm asked={asked} onBack={() => setAsked(null)} />;
  const isWrong = isParleyError(error) && error.status === 401;
  return (
    <>
      <form onSubmit={submit} className="mt-6 grid gap-4">
        <Field label={t.email}>
          <Input
            required
            type="email"
            name="username"
            autoComplete="username"
            maxLength={254}
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <PasswordField label={t.password} value={password} onChange={setPassword} />
        {second.field}
        {error !== null && !second.isShown && (
          <ErrorNotice error={isWrong ? new Error(t.wrongPassword) : error} />
        )}
        <Button type="submit" look="primary" busy={busy} disabled={email === '' || password === ''}>
          {t.submit}
        </Button>
        {!sendsMail && <p className="text-muted text-xs">{t.forgotten}</p>}
      </form>
      {canUsePasskeys && (
        <Suspense>
          <PasskeyMeans />
        </Suspense>
      )}
      {means?.oidc === true && <OidcMeans />}
      {sendsMail && <MailMeans email={email.trim()} onAsked={setAsked} />}
    </>
  );
}

function KeyForm() {
  const t = useMessages(signInMessages);
  const [keyId, setKeyId] = useState('');
  const [secret, setSecret] = useState('');
  const { busy, error, submit } = useSignIn(() =>
    signInWithKey({ key_id: keyId.trim(), key_secret: secret.trim() }),
  );
  /** Accepts the content of first-api-key.json in either field. */
  const paste = (event: ClipboardEvent) => {
    const key = parseKeyFile(event.clipboardData.getData('text'));
    if (key === null) return;
    event.preventDefault();
    setKeyId(key.key_id);
    setSecret(key.key_secret);
  };
  const isWrong = isParleyError(error) && error.status === 401;
  return (
    <form onSubmit={submit} onPaste={paste} className="mt-6 grid gap-4">
      <p className="text-muted">{t.intro}</p>
      <Field label={t.keyId}>
        <Input
          required
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={256}
          value={keyId}
          onChange={(event) => setKeyId(event.target.value)}
        />
      </Field>
      <Field label={t.keySecret}>
        <Input
          required
          type="password"
          name="password"
          autoComplete="current-password"
          maxLength={256}
          value={secret}
          onChange={(event) => setSecret(event.target.value)}
        />
      </Field>
      {error !== null && <ErrorNotice error={isWrong ? new Error(t.wrongKey) : error} />}
      <Button type="submit" look="primary" busy={busy} disabled={keyId === '' || secret === ''}>
        {t.submit}
      </Button>
      <p className="text-muted text-xs">{t.privacy}</p>
    </form>
  );
}

function parseKeyFile(text: string): { key_id: string; key_secret: string } | null {
  try {
    const { key_id, key_secret } = JSON.parse(text);
    return typeof key_id === 'string' && typeof key_secret === 'string' ? { key_id, key_secret } : null;
  } catch {
    return null;
  }
}
