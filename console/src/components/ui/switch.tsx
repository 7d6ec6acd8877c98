import { Switch as BaseSwitch } from '@base-ui/react/switch';
import { type ReactNode, useId } from 'react';

/** A setting that takes effect when its form is saved. */
export function Switch({
  checked,
  onChange,
  label,
  hint,
  disabled = false,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  label: ReactNode;
  hint?: ReactNode;
  disabled?: boolean;
}) {
  const id = useId();
  return (
    <div className="flex items-start justify-between gap-6">
      <div className="min-w-0">
        <div id={`${id}-label`} className="font-medium">
          {label}
        </div>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-muted text-[0.8125rem]">
            {hint}
          </p>
        )}
      </div>
      <BaseSwitch.Root
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled}
        aria-labelledby={`${id}-label`}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="relative mt-0.5 flex h-5 w-9 shrink-0 cursor-pointer items-center rounded-full bg-control transition-colors data-checked:bg-accent data-disabled:opacity-50"
      >
        <BaseSwitch.Thumb className="block size-4 translate-x-0.5 rounded-full bg-white shadow-sm transition-transform data-checked:translate-x-4.5" />
      </BaseSwitch.Root>
    </div>
  );
}
