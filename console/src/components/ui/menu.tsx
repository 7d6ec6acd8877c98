import { Menu as BaseMenu } from '@base-ui/react/menu';
import type { ReactElement, ReactNode } from 'react';
import { cn } from '../../lib/class-names.ts';

const itemClass =
  'flex w-full cursor-default items-center gap-2.5 rounded-md px-2.5 py-1.5 outline-none select-none data-highlighted:bg-hover data-disabled:opacity-50';

export function Menu({
  trigger,
  children,
  side = 'bottom',
  align = 'end',
}: {
  trigger: ReactElement;
  children: ReactNode;
  side?: 'top' | 'bottom';
  align?: 'start' | 'end';
}) {
  return (
    <BaseMenu.Root>
      <BaseMenu.Trigger render={trigger} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner className="z-50 outline-none" sideOffset={4} side={side} align={align}>
          <BaseMenu.Popup className="min-w-44 rounded-lg border bg-raised p-1 shadow-popup outline-none">
            {children}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

export const MenuItem = ({
  onClick,
  danger = false,
  disabled = false,
  children,
}: {
  onClick: () => void;
  danger?: boolean;
  disabled?: boolean;
  children: ReactNode;
}) => (
  <BaseMenu.Item onClick={onClick} disabled={disabled} className={cn(itemClass, danger && 'text-danger')}>
    {children}
  </BaseMenu.Item>
);

/** One of several choices, such as a theme. */
export function MenuChoices<Value extends string>({
  label,
  value,
  onChange,
  choices,
}: {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  choices: readonly { value: Value; label: string; icon?: ReactNode }[];
}) {
  return (
    <BaseMenu.Group>
      <BaseMenu.GroupLabel className="px-2.5 pt-2 pb-1 text-muted text-xs">{label}</BaseMenu.GroupLabel>
      <BaseMenu.RadioGroup value={value} onValueChange={onChange}>
        {choices.map((choice) => (
          <BaseMenu.RadioItem key={choice.value} value={choice.value} className={itemClass} closeOnClick>
            <span aria-hidden className="grid size-4 place-items-center">
              <BaseMenu.RadioItemIndicator className="size-1.5 rounded-full bg-accent-text" />
            </span>
            {choice.label}
          </BaseMenu.RadioItem>
        ))}
      </BaseMenu.RadioGroup>
    </BaseMenu.Group>
  );
}

export const MenuSeparator = () => <BaseMenu.Separator className="my-1 h-px bg-border" />;
