import { Field as BaseField } from '@base-ui/react/field';
import type { ComponentProps, ReactNode } from 'react';
import { cn } from '../../lib/class-names.ts';

const control =
  'w-full rounded-lg border border-control bg-card px-3 placeholder:text-muted/80 disabled:opacity-60 data-[invalid]:border-danger focus:outline-2 focus:-outline-offset-1 focus:outline-accent-text';

/** A labelled control with a hint and the API's complaint about its value. */
export function Field({
  label,
  hint,
  error,
  children,
  className,
}: {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  children: ReactNode;
  className?: string;
}) {
  return (
    <BaseField.Root invalid={error !== undefined} className={cn('grid content-start gap-1.5', className)}>
      <BaseField.Label className="font-medium wrap-anywhere">{label}</BaseField.Label>
      {children}
      {hint !== undefined && (
        <BaseField.Description className="text-muted text-[0.8125rem]">{hint}</BaseField.Description>
      )}
      {error !== undefined && (
        <BaseField.Error match className="text-danger text-[0.8125rem]">
          {error}
        </BaseField.Error>
      )}
    </BaseField.Root>
  );
}

export const Input = ({ className, ...props }: ComponentProps<typeof BaseField.Control>) => (
  <BaseField.Control {...props} className={cn(control, 'h-9', className as string | undefined)} />
);

export const Textarea = ({ className, ...props }: ComponentProps<'textarea'>) => (
  <BaseField.Control
    render={<textarea {...props} className={cn(control, 'min-h-20 py-2 field-sizing-content', className)} />}
  />
);
