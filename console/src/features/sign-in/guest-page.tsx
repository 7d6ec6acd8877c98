import { type ReactNode, useEffect } from 'react';
import { BrandMark } from '../../app/brand-mark.tsx';
import { useBrand } from '../../app/settings.ts';

/** The frame of pages for people who are not signed in. */
export function GuestPage({
  title,
  intro,
  children,
  below,
}: {
  title: string;
  intro?: string | undefined;
  children: ReactNode;
  below?: ReactNode;
}) {
  const { name } = useBrand();
  useEffect(() => {
    document.title = title.includes(name) ? title : `${title} · ${name}`;
  }, [title, name]);
  return (
    <main className="grid min-h-dvh content-center justify-items-center gap-8 bg-surface p-4">
      <BrandMark />
      <div className="w-full max-w-sm rounded-xl border bg-card p-6 sm:p-8">
        <h1 className="text-lg font-semibold tracking-tight wrap-anywhere">{title}</h1>
        {intro !== undefined && <p className="mt-1 text-muted wrap-anywhere">{intro}</p>}
        {children}
      </div>
      {below}
    </main>
  );
}
