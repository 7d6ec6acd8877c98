import { isParleyError } from '@parley/sdk';
import { type ReactNode, useState } from 'react';
import { useActor } from '../../app/use-session.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { passkeyMessages } from './passkey.messages.ts';

/** Asks for the password once an operation says that the sign-in is too old. `notice` shows all other errors. */
export function useFreshProof(): {
  input: { password?: string };
  fail(error: unknown): void;
  notice: ReactNode;
} {
  const t = useMessages(passkeyMessages);
  const { person } = useActor();
  const [isNeeded, setIsNeeded] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [password, setPassword] = useState('');
  const isWrong = isParleyError(error, 'password_wrong');
  const isOld = isParleyError(error, 'fresh_proof_needed');
  const field = isNeeded && person?.has_password === true;
  return {
    input: field && password !== '' ? { password } : {},
    fail(failure) {
      setError(failure);
      if (isParleyError(failure, 'fresh_proof_needed')) setIsNeeded(true);
    },
    notice: (
      <>
        {field && (
          <PasswordField
            label={t.password}
            hint={t.old}
            error={isWrong ? t.wrong : undefined}
            value={password}
            onChange={setPassword}
          />
        )}
        {isOld && !field && <p className="text-danger">{t.signInAgain}</p>}
        {error !== null && !isOld && !isWrong && <ErrorNotice error={error} />}
      </>
    ),
  };
}
