import { settings } from './settings.ts';

export const BrandMark = () => (
  <span className="flex min-w-0 items-center gap-2.5">
    {settings.brand.logo === null ? (
      <svg aria-hidden viewBox="0 0 32 32" className="size-7 shrink-0">
        <rect width="32" height="32" rx="8" className="fill-accent" />
        <path
          d="M9 8h14a3 3 0 0 1 3 3v8a3 3 0 0 1-3 3h-7l-5 4.5V22H9a3 3 0 0 1-3-3v-8a3 3 0 0 1 3-3z"
          className="fill-on-accent"
        />
      </svg>
    ) : (
      <img src={settings.brand.logo} alt="" className="h-7 max-w-24 shrink-0 object-contain" />
    )}
    <span className="truncate text-[0.9375rem] font-semibold tracking-tight">{settings.brand.name}</span>
  </span>
);
