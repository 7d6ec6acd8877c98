import { isParleyError } from '@parley/sdk';
import { type ReactNode, useState } from 'react';
import { Field, Input } from '../../components/ui/field.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { signInMessages } from './sign-in.messages.ts';

/** The code that a sign-in needs, too, once the service has asked for it. */
export function useSecondFactor(error: unknown): {
  input: { second_factor?: string };
  field: ReactNode;
  /** Whether the field shows the error already. */
  isShown: boolean;
} {
  const t = useMessages(signInMessages);
  const [code, setCode] = useState('');
  const [isAsked, setIsAsked] = useState(false);
  const isNeeded = isParleyError(error, 'second_factor_needed');
  const isWrong = isParleyError(error, 'second_factor_wrong');
  if (isNeeded && !isAsked) setIsAsked(true);
  return {
    input: code.trim() === '' ? {} : { second_factor: code.trim() },
    isShown: isNeeded || isWrong,
    field: isAsked && (
      <Field
        label={t.secondFactor}
        hint={t.secondFactorHint}
        error={isWrong ? t.secondFactorWrong : undefined}
      >
        <Input
          required
          autoFocus
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          minLength={6}
          maxLength={40}
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      </Field>
    ),
  };
}
