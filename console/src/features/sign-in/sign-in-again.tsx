import { useEffect, useId, useRef } from 'react';
import { createPortal } from 'react-dom';
import { endSession, isPortal } from '../../api/session.ts';
import { useIsRefused } from '../../app/use-session.ts';
import { Button } from '../../components/ui/button.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { signInMessages } from './sign-in.messages.ts';
import { SignInForm } from './sign-in-form.tsx';

/** Lies over the page while the service refuses the session, so that nothing typed is lost. */
export const SignInAgain = () => useIsRefused() && createPortal(<SignInAgainDialog />, document.body);

/** The browser's own dialog, which is above every other dialog. */
function SignInAgainDialog() {
  const t = useMessages(signInMessages);
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      className="m-auto w-full max-w-md rounded-xl border bg-raised p-6 text-foreground shadow-popup backdrop:bg-black/45"
      // Only signing in or out closes it.
      onCancel={(event) => event.preventDefault()}
      onClose={() => dialog.current?.showModal()}
    >
      <h2 id={id} className="text-base font-semibold">
        {isPortal ? t.portalEnded : t.again}
      </h2>
      <p className="mt-1 text-muted">{isPortal ? t.portalEndedHint : t.againHint}</p>
      {!isPortal && (
        <>
          <SignInForm />
          <div className="mt-4">
            <Button look="link" size="inline" onClick={endSession}>
              {t.signOut}
            </Button>
          </div>
        </>
      )}
    </dialog>
  );
}
