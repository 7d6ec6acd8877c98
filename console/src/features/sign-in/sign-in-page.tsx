import { isParleyError } from '@parley/sdk';
import { type ClipboardEvent, type FormEvent, useEffect, useState } from 'react';
import { signIn } from '../../api/client.ts';
import { BrandMark } from '../../app/brand-mark.tsx';
import { settings } from '../../app/settings.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { signInMessages } from './sign-in.messages.ts';

export function SignInPage() {
  const t = useMessages(signInMessages);
  const { name } = settings.brand;
  useEffect(() => {
    document.title = t.title(name);
  }, [t, name]);
  return (
    <main className="grid min-h-dvh content-center justify-items-center gap-8 bg-surface p-4">
      <BrandMark />
      <div className="w-full max-w-sm rounded-xl border bg-card p-6 sm:p-8">
        <h1 className="text-lg font-semibold tracking-tight">{t.title(name)}</h1>
        <p className="mt-1 text-muted">{t.intro}</p>
        <SignInForm />
      </div>
      <details className="w-full max-w-sm text-center text-muted text-[0.8125rem]">
        <summary className="cursor-pointer font-medium">{t.firstKey}</summary>
        <p className="mt-2">{t.firstKeyHint('data/first-api-key.json')}</p>
      </details>
    </main>
  );
}

export function SignInForm() {
  const t = useMessages(signInMessages);
  const [keyId, setKeyId] = useState('');
  const [secret, setSecret] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await signIn({ key_id: keyId.trim(), key_secret: secret.trim() });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
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
    <form onSubmit={(event) => void submit(event)} onPaste={paste} className="mt-6 grid gap-4">
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
