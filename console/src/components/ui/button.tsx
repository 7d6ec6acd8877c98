import type { ComponentProps } from 'react';
import { cn } from '../../lib/class-names.ts';
import { Spinner } from './spinner.tsx';

const looks = {
  primary: 'bg-accent text-on-accent hover:brightness-110 active:brightness-95',
  secondary: 'border border-control bg-card hover:bg-hover',
  ghost: 'hover:bg-hover',
  danger: 'bg-danger text-on-danger hover:brightness-110',
  dangerGhost: 'text-danger hover:bg-danger/10',
  link: 'text-accent-text underline-offset-4 hover:underline',
};
const sizes = {
  medium: 'h-9 px-3.5',
  small: 'h-8 px-2.5 text-[0.8125rem]',
  icon: 'size-9 shrink-0',
  iconSmall: 'size-8 shrink-0',
  inline: '',
};

export interface ButtonLook {
  look?: keyof typeof looks | undefined;
  size?: keyof typeof sizes | undefined;
}

/** For links that look like buttons. */
export const buttonClass = ({ look = 'secondary', size = 'medium' }: ButtonLook = {}): string =>
  cn(
    'inline-flex items-center justify-center gap-2 rounded-lg font-medium whitespace-nowrap select-none transition-[background-color,filter] disabled:opacity-50 disabled:pointer-events-none [&_svg]:shrink-0',
    looks[look],
    sizes[size],
  );

type ButtonProps = ComponentProps<'button'> & ButtonLook & { busy?: boolean };

export function Button({ look, size, busy = false, className, children, disabled, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      className={cn(buttonClass({ look, size }), className)}
    >
      {busy && <Spinner />}
      {children}
    </button>
  );
}
