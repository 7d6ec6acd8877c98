import { Tabs as BaseTabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

export interface TabItem<Value extends string> {
  value: Value;
  label: string;
  count?: number | undefined;
  content: ReactNode;
}

export function Tabs<Value extends string>({
  value,
  onChange,
  items,
  label,
}: {
  value: Value;
  onChange: (value: Value) => void;
  items: readonly TabItem<Value>[];
  label: string;
}) {
  return (
    <BaseTabs.Root value={value} onValueChange={onChange} className="min-w-0">
      <BaseTabs.List
        aria-label={label}
        className="-mx-4 relative flex gap-0.5 overflow-x-auto border-b px-4 [scrollbar-width:none] sm:mx-0 sm:gap-0 sm:flex-wrap sm:px-0"
      >
        {items.map((item) => (
          <BaseTabs.Tab
            key={item.value}
            value={item.value}
            className="-mb-px flex h-10 shrink-0 items-center gap-2 border-transparent border-b-2 px-1.5 font-medium text-muted -outline-offset-2 hover:text-foreground data-active:border-accent-text data-active:text-foreground"
          >
            {item.label}
            {item.count !== undefined && (
              <span className="rounded-full bg-hover px-1.5 text-muted text-xs tabular-nums">
                {item.count}
              </span>
            )}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {items.map((item) => (
        <BaseTabs.Panel key={item.value} value={item.value} className="pt-6 outline-none">
          {item.content}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  );
}
