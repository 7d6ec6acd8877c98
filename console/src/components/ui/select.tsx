import { Select as BaseSelect } from '@base-ui/react/select';
import { Check, ChevronsUpDown } from 'lucide-react';
import { cn } from '../../lib/class-names.ts';

export interface Choice<Value extends string> {
  value: Value;
  label: string;
}

/** A choice from a short list. */
export function Select<Value extends string>({
  value,
  onChange,
  choices,
  label,
  className,
  disabled = false,
}: {
  value: Value;
  onChange: (value: Value) => void;
  choices: readonly Choice<Value>[];
  /** For screen readers, if no field labels the control. */
  label?: string;
  className?: string;
  disabled?: boolean;
}) {
  return (
    <BaseSelect.Root
      items={choices}
      value={value}
      disabled={disabled}
      onValueChange={(chosen) => {
        if (chosen !== null) onChange(chosen);
      }}
    >
      <BaseSelect.Trigger
        aria-label={label}
        className={cn(
          'flex h-9 items-center justify-between gap-2 rounded-lg border border-control bg-card px-3 text-left hover:bg-hover data-disabled:opacity-60',
          className,
        )}
      >
        <BaseSelect.Value className="truncate" />
        <BaseSelect.Icon>
          <ChevronsUpDown aria-hidden className="size-3.5 text-muted" />
        </BaseSelect.Icon>
      </BaseSelect.Trigger>
      <BaseSelect.Portal>
        <BaseSelect.Positioner className="z-50 outline-none" sideOffset={4} alignItemWithTrigger={false}>
          <BaseSelect.Popup className="max-h-(--available-height) min-w-(--anchor-width) overflow-y-auto rounded-lg border bg-raised p-1 shadow-popup">
            {choices.map((choice) => (
              <BaseSelect.Item
                key={choice.value}
                value={choice.value}
                className="flex cursor-default items-center gap-2 rounded-md py-1.5 pr-3 pl-2 outline-none data-highlighted:bg-hover"
              >
                <span className="size-4">
                  <BaseSelect.ItemIndicator>
                    <Check aria-hidden className="size-4 text-accent-text" />
                  </BaseSelect.ItemIndicator>
                </span>
                <BaseSelect.ItemText>{choice.label}</BaseSelect.ItemText>
              </BaseSelect.Item>
            ))}
          </BaseSelect.Popup>
        </BaseSelect.Positioner>
      </BaseSelect.Portal>
    </BaseSelect.Root>
  );
}
