import type { ReactNode } from 'react';
import { cn } from '../../lib/class-names.ts';

const tones = {
  neutral: 'bg-hover text-muted',
  success: 'bg-success/12 text-success',
  warning: 'bg-warning/14 text-warning',
  danger: 'bg-danger/12 text-danger',
  accent: 'bg-accent-text/12 text-accent-text',
};
export type Tone = keyof typeof tones;

export const Badge = ({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) => (
  <span
    className={cn(
      'inline-flex h-5.5 items-center gap-1 rounded-full px-2 text-xs font-medium whitespace-nowrap',
      tones[tone],
    )}
  >
    {children}
  </span>
);
