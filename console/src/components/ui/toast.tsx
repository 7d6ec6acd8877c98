import { Toast as BaseToast } from '@base-ui/react/toast';
import { CircleAlert, CircleCheck, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { cn } from '../../lib/class-names.ts';
import { buttonClass } from './button.tsx';

const toasts = BaseToast.createToastManager();

export const toastSuccess = (title: string): void => {
  toasts.add({ title, type: 'success', timeout: 4_000 });
};

/** Shows the API's words. Stays longer than a success, because it takes longer to read. */
export const toastError = (error: unknown): void => {
  toasts.add({
    title: error instanceof Error ? error.message : String(error),
    type: 'error',
    timeout: 15_000,
  });
};

export function ToastArea({ children }: { children: ReactNode }) {
  return (
    <BaseToast.Provider toastManager={toasts} limit={3}>
      {children}
      <BaseToast.Portal>
        <BaseToast.Viewport className="fixed right-4 bottom-4 left-4 z-60 flex flex-col gap-2 sm:left-auto sm:w-96">
          <ToastList />
        </BaseToast.Viewport>
      </BaseToast.Portal>
    </BaseToast.Provider>
  );
}

function ToastList() {
  const t = useMessages(commonMessages);
  const { toasts: shown } = BaseToast.useToastManager();
  return shown.map((toast) => (
    <BaseToast.Root
      key={toast.id}
      toast={toast}
      className="rounded-lg border bg-raised p-3 shadow-popup transition-[opacity,translate] duration-200 data-ending-style:translate-y-2 data-ending-style:opacity-0 data-starting-style:translate-y-2 data-starting-style:opacity-0 data-limited:hidden"
    >
      <BaseToast.Content className="flex items-start gap-2.5">
        {toast.type === 'error' ? (
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
        ) : (
          <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-success" />
        )}
        <BaseToast.Title className="min-w-0 flex-1 wrap-anywhere" />
        <BaseToast.Close
          aria-label={t.close}
          className={cn(buttonClass({ look: 'ghost', size: 'inline' }), 'rounded p-0.5 text-muted')}
        >
          <X aria-hidden className="size-4" />
        </BaseToast.Close>
      </BaseToast.Content>
    </BaseToast.Root>
  ));
}
