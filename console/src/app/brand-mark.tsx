import { useBrand } from './settings.ts';

/** A speech bubble in a square of 32. */
export const markPath =
  'M9 8h14a3 3 0 0 1 3 3v8a3 3 0 0 1-3 3h-7l-5 4.5V22H9a3 3 0 0 1-3-3v-8a3 3 0 0 1 3-3z';

export function BrandMark() {
  const { name, logo } = useBrand();
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      {logo === null ? (
        <svg aria-hidden viewBox="0 0 32 32" className="size-7 shrink-0">
          <rect width="32" height="32" rx="8" className="fill-accent" />
          <path d={markPath} className="fill-on-accent" />
        </svg>
      ) : (
        <img src={logo} alt="" className="h-7 max-w-24 shrink-0 object-contain" />
      )}
      <span className="truncate text-[0.9375rem] font-semibold tracking-tight">{name}</span>
    </span>
  );
}
