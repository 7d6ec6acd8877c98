import { isParleyError } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { peopleOnce } from '../../api/client.ts';
import { endSession, getSession } from '../../api/session.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { buttonClass } from '../../components/ui/button.tsx';
import { Spinner } from '../../components/ui/spinner.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { begun, given } from './begun-oidc.ts';
import { GuestPage } from './guest-page.tsx';
import { oidcMessages } from './oidc.messages.ts';

/** The page to which the identity provider leads. */
export function OidcPage() {
  const t = useMessages(oidcMessages);
  const [page] = useState(() => begun.pageOf(given.get('state') ?? ''));
  const started = useRef(false);
  const signIn = useMutation({
    async mutationFn() {
      const [code, state, iss] = ['code', 'state', 'iss'].map((name) => given.get(name));
      if (!code || !state) throw new Error(given.has('error') ? t.refused : t.ended);
      await peopleOnce.signInWithOidc({ code, state, ...(iss ? { iss } : {}) });
    },
    onSuccess() {
      begun.end();
      if (page === null) return close();
      endSession();
      location.replace(page);
    },
  });
  useEffect(() => {
    // The code works once, and development mode runs effects twice. It leaves the address, so that a reload does not send it again.
    if (started.current) return;
    started.current = true;
    history.replaceState(history.state, '', location.pathname);
    if (given.size === 0 && getSession() !== null) location.replace('/console');
    else signIn.mutate();
  }, [signIn]);
  if (signIn.isSuccess && page === null)
    return (
      <GuestPage title={t.signedIn}>
        <p className="mt-1 text-muted">{t.goBack}</p>
      </GuestPage>
    );
  if (!signIn.isError)
    return (
      <GuestPage title={t.entering}>
        <div className="mt-6">
          <Spinner />
        </div>
      </GuestPage>
    );
  const { error } = signIn;
  const words = isParleyError(error, 'not_invited')
    ? t.notInvited
    : isParleyError(error, 'oidc_unavailable')
      ? t.away
      : isParleyError(error) && error.status === 401
        ? t.ended
        : null;
  return (
    <GuestPage title={t.notSignedIn}>
      <div className="mt-6 grid gap-4">
        <ErrorNotice error={words === null ? error : new Error(words)} />
        <a href={page ?? '/console'} className={buttonClass({ look: 'primary' })}>
          {t.back}
        </a>
      </div>
    </GuestPage>
  );
}
