import { isParleyError, type Session } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { people, resumeSession } from '../../api/client.ts';
import { CopyText } from '../../components/copy-text.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { toastSuccess } from '../../components/ui/toast.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { useFreshProof } from './fresh-proof.tsx';
import { secondFactorMessages } from './second-factor.messages.ts';

/** Codes of an authenticator app: set up, recovery codes once, remove. */
export function SecondFactorCard({ person }: { person: Session }) {
  const t = useMessages(secondFactorMessages);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const close = () => {
    setCodes(null);
    setIsOpen(false);
  };
  const proof = useFreshProof();
  const start = useMutation({
    mutationFn: () => people.startSecondFactor(proof.input),
    onSuccess() {
      proof.fail(null);
      setIsOpen(true);
    },
    onError: proof.fail,
  });
  const show = (): ReactNode => {
    if (codes !== null) return <RecoveryCodes codes={codes} onClose={close} />;
    if (person.has_second_factor)
      return isOpen ? (
        <Removal hasPassword={person.has_password} onClose={close} />
      ) : (
        <div className="grid justify-items-start gap-4">
          <p>{t.isOn(person.recovery_codes)}</p>
          <Button onClick={() => setIsOpen(true)}>{t.remove}</Button>
        </div>
      );
    if (isOpen && start.data !== undefined)
      return <Confirmation started={start.data} onConfirmed={setCodes} />;
    return (
      <div className="grid max-w-xs justify-items-start gap-4">
        {proof.notice}
        <Button busy={start.isPending} onClick={() => start.mutate()}>
          {t.setUp}
        </Button>
      </div>
    );
  };
  return (
    <Card title={t.title} description={t.hint}>
      {show()}
    </Card>
  );
}

function Confirmation({
  started: { qr_code, secret },
  onConfirmed,
}: {
  started: { qr_code: string; secret: string };
  onConfirmed: (codes: readonly string[]) => void;
}) {
  const t = useMessages(secondFactorMessages);
  const [code, setCode] = useState('');
  const digits = code.replaceAll(/\D/g, '');
  const confirm = useMutation({
    mutationFn: () => people.confirmSecondFactor({ code: digits }),
    async onSuccess({ recovery_codes: codes }) {
      onConfirmed(codes);
      await resumeSession();
    },
  });
  const isWrong = isParleyError(confirm.error, 'second_factor_wrong');
  return (
    <form onSubmit={submitWith(confirm.mutate)} className="grid max-w-md gap-4">
      <p>{t.scan}</p>
      <img src={qr_code} alt={t.qrCode} className="size-48 rounded-lg bg-white" />
      <div>
        <p className="text-muted">{t.orType}</p>
        <CopyText text={secret} />
      </div>
      <CodeField
        label={t.code}
        value={code}
        onChange={setCode}
        error={isWrong ? t.wrong : undefined}
        isNumber
      />
      {confirm.isError && !isWrong && <ErrorNotice error={confirm.error} />}
      <div>
        <Button type="submit" look="primary" busy={confirm.isPending} disabled={digits.length !== 6}>
          {t.confirm}
        </Button>
      </div>
    </form>
  );
}

function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const t = useMessages(secondFactorMessages);
  return (
    <div className="grid justify-items-start gap-4">
      <p>{t.codesHint}</p>
      <ul aria-label={t.codes} className="grid gap-x-8 gap-y-1 font-mono sm:grid-cols-2">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Button look="primary" onClick={onClose}>
        {t.saved}
      </Button>
    </div>
  );
}

function Removal({ hasPassword, onClose }: { hasPassword: boolean; onClose: () => void }) {
  const t = useMessages(secondFactorMessages);
  const [usesPassword, setUsesPassword] = useState(hasPassword);
  const [given, setGiven] = useState('');
  const remove = useMutation({
    mutationFn: () =>
      people.deleteSecondFactor(usesPassword ? { password: given } : { second_factor: given.trim() }),
    async onSuccess() {
      await resumeSession();
      onClose();
      toastSuccess(t.removed);
    },
  });
  const isWrong = isParleyError(remove.error, usesPassword ? 'password_wrong' : 'second_factor_wrong');
  const error = isWrong ? (usesPassword ? t.wrongPassword : t.wrong) : undefined;
  return (
    <form onSubmit={submitWith(remove.mutate)} className="grid max-w-xs gap-4">
      {usesPassword ? (
        <PasswordField label={t.password} error={error} value={given} onChange={setGiven} />
      ) : (
        <CodeField label={t.anyCode} error={error} value={given} onChange={setGiven} />
      )}
      {remove.isError && !isWrong && <ErrorNotice error={remove.error} />}
      {hasPassword && (
        <Button
          look="link"
          size="inline"
          className="justify-self-start"
          onClick={() => {
            setUsesPassword(!usesPassword);
            setGiven('');
          }}
        >
          {usesPassword ? t.useCode : t.usePassword}
        </Button>
      )}
      <div className="flex gap-2">
        <Button type="submit" look="primary" busy={remove.isPending} disabled={given.trim() === ''}>
          {t.remove}
        </Button>
        <Button onClick={onClose}>{t.cancel}</Button>
      </div>
    </form>
  );
}

function CodeField({
  label,
  error,
  value,
  onChange,
  isNumber = false,
}: {
  label: string;
  error: string | undefined;
  value: string;
  onChange: (value: string) => void;
  isNumber?: boolean;
}) {
  return (
    <Field label={label} error={error}>
      <Input
        required
        autoFocus
        inputMode={isNumber ? 'numeric' : undefined}
        autoComplete="one-time-code"
        spellCheck={false}
        maxLength={40}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}

const submitWith = (submit: () => void) => (event: FormEvent) => {
  event.preventDefault();
  submit();
};
