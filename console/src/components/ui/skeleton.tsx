import { cn } from '../../lib/class-names.ts';

export const Skeleton = ({ className }: { className?: string }) => (
  <div aria-hidden className={cn('animate-pulse rounded-md bg-hover', className)} />
);
