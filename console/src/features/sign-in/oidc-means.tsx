import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { people, resumeSession } from '../../api/client.ts';
import { getSession } from '../../api/session.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { begun } from './begun-oidc.ts';
import { signInMessages } from './sign-in.messages.ts';

/** Leads to the identity provider: in another tab if this one has something typed, which would be lost. */
export function OidcMeans() {
  const t = useMessages(signInMessages);
  const isAgain = getSession() !== null;
  const start = useMutation({
    async mutationFn() {
      // A browser allows a new tab only at once after the click.
      const tab = isAgain ? open('about:blank') : window;
      if (tab === null) throw new Error(t.tabBlocked);
      try {
        const { url } = await people.startOidc();
        begun.save(url, isAgain ? null : location.pathname + location.search);
        if (isAgain) tab.opener = null;
        tab.location.assign(url);
      } catch (error) {
        if (isAgain) tab.close();
        throw error;
      }
    },
  });
  useEffect(() => {
    if (isAgain) return begun.onSignedIn(() => void resumeSession());
  }, [isAgain]);
  return (
    <div className="mt-4 grid gap-3">
      <Button busy={start.isPending} onClick={() => start.mutate()}>
        {t.oidc}
      </Button>
      {start.error !== null && <ErrorNotice error={start.error} />}
    </div>
  );
}
