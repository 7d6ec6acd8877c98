import { isParleyError } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { people, signInWithCode } from '../../api/client.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { useLocale, useMessages } from '../../i18n/use-locale.ts';
import { useSecondFactor } from './second-factor-field.tsx';
import { signInMessages } from './sign-in.messages.ts';

/** A code that was asked for. */
export interface AskedCode {
  email: string;
  requestId: string;
}

/** Asks for a code or for a recovery link by e-mail. */
export function MailMeans({ email, onAsked }: { email: string; onAsked: (asked: AskedCode) => void }) {
  const t = useMessages(signInMessages);
  const { locale: language } = useLocale();
  const code = useMutation({
    mutationFn: () => people.requestSignInCode({ email, language }),
    onSuccess: ({ request_id: requestId }) => onAsked({ email, requestId }),
  });
  const recovery = useMutation({ mutationFn: () => people.requestRecoveryLink({ email, language }) });
  const error = code.error ?? recovery.error;
  return (
    <div className="mt-4 grid justify-items-start gap-3">
      <Button busy={code.isPending} disabled={email === ''} onClick={() => code.mutate()}>
        {t.mailCode}
      </Button>
      <Button
        look="link"
        size="inline"
        busy={recovery.isPending}
        disabled={email === ''}
        onClick={() => recovery.mutate()}
      >
        {t.recover}
      </Button>
      {error !== null && <ErrorNotice error={error} />}
      <p role="status" className="text-muted text-xs empty:hidden">
        {recovery.isSuccess && t.recoverySent(email)}
      </p>
    </div>
  );
}

export function CodeForm({ asked: { email, requestId }, onBack }: { asked: AskedCode; onBack: () => void }) {
  const t = useMessages(signInMessages);
  const [code, setCode] = useState('');
  const digits = code.replaceAll(/\D/g, '');
  const signIn = useMutation({
    mutationFn: () => signInWithCode({ request_id: requestId, email, code: digits, ...second.input }),
  });
  const second = useSecondFactor(signIn.error);
  const isWrong = isParleyError(signIn.error) && signIn.error.status === 401;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate();
      }}
      className="mt-6 grid gap-4"
    >
      <p className="text-muted wrap-anywhere">{t.codeSent(email)}</p>
      <Field label={t.code}>
        <Input
          required
          autoFocus
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={20}
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      </Field>
      {second.field}
      {signIn.error !== null && !second.isShown && (
        <ErrorNotice error={isWrong ? new Error(t.wrongCode) : signIn.error} />
      )}
      <Button type="submit" look="primary" busy={signIn.isPending} disabled={digits.length !== 8}>
        {t.submit}
      </Button>
      <Button look="link" size="inline" className="justify-self-start" onClick={onBack}>
        {t.otherMeans}
      </Button>
    </form>
  );
}
