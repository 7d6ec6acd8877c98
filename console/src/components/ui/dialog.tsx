import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { isSessionRefused } from '../../api/session.ts';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { cn } from '../../lib/class-names.ts';
import { buttonClass } from './button.tsx';

/** A modal dialog. `children` is its body, with the buttons in a `DialogFooter`. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  wide = false,
  keepsOpen = false,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  description?: ReactNode;
  children: ReactNode;
  wide?: boolean;
  /** Ignores clicks outside, for content that cannot be shown again. */
  keepsOpen?: boolean;
}) {
  const t = useMessages(commonMessages);
  return (
    <BaseDialog.Root
      open={open}
      onOpenChange={(next) => {
        // A click in the dialog that asks to sign in again is outside of this one.
        if (!isSessionRefused()) onOpenChange(next);
      }}
      disablePointerDismissal={keepsOpen}
    >
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-40 bg-black/45 transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <BaseDialog.Viewport className="fixed inset-0 z-40 grid place-items-center overflow-y-auto p-4">
          <BaseDialog.Popup
            className={cn(
              'relative w-full rounded-xl border bg-raised p-6 shadow-popup outline-none transition-[opacity,scale] duration-150 data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0',
              wide ? 'max-w-2xl' : 'max-w-md',
            )}
          >
            <BaseDialog.Title className="pr-8 text-base font-semibold wrap-anywhere">
              {title}
            </BaseDialog.Title>
            {description !== undefined && (
              <BaseDialog.Description className="mt-1 text-muted wrap-anywhere">
                {description}
              </BaseDialog.Description>
            )}
            <div className="mt-5">{children}</div>
            <BaseDialog.Close
              aria-label={t.close}
              className={cn(
                buttonClass({ look: 'ghost', size: 'iconSmall' }),
                'absolute top-4 right-4 text-muted',
              )}
            >
              <X aria-hidden className="size-4" />
            </BaseDialog.Close>
          </BaseDialog.Popup>
        </BaseDialog.Viewport>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

export const DialogFooter = ({ children }: { children: ReactNode }) => (
  <div className="mt-6 flex flex-wrap justify-end gap-2">{children}</div>
);
