import { Field, Input } from './ui/field.tsx';

/** The API takes a new password of 10 to 200 characters. */
export function PasswordField({
  label,
  hint,
  error,
  value,
  onChange,
  isNew = false,
}: {
  label: string;
  hint?: string;
  error?: string | undefined;
  value: string;
  onChange: (value: string) => void;
  isNew?: boolean;
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      <Input
        required
        type="password"
        name="password"
        autoComplete={isNew ? 'new-password' : 'current-password'}
        minLength={isNew ? 10 : undefined}
        maxLength={200}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}
