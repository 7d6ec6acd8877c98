import type { ReactNode } from 'react';

/** Names and values, such as those of an object. Where there is little room, each value is below its name. */
export const Facts = ({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) => (
  <div className="@container">
    <dl className="grid gap-3 @sm:grid-cols-[minmax(5rem,auto)_1fr] @sm:gap-x-6">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted @max-sm:-mb-2.5 @max-sm:text-[0.8125rem]">{name}</dt>
          <dd className="min-w-0 wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  </div>
);
