import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { openPortal } from '../../api/client.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Spinner } from '../../components/ui/spinner.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { guestMessages } from '../sign-in/guest.messages.ts';
import { GuestPage } from '../sign-in/guest-page.tsx';
import { isUsed, UsedLink, useLinkToken } from '../sign-in/guest-pages.tsx';

/** Begins the session of a portal link. Without a link, and after a session, it says that another one is needed. */
export function PortalPage() {
  const t = useMessages(guestMessages);
  const token = useLinkToken();
  const started = useRef(false);
  const open = useMutation({ mutationFn: () => openPortal(token) });
  useEffect(() => {
    // The link works once, and development mode runs effects twice.
    if (started.current || token === '') return;
    started.current = true;
    open.mutate();
  }, [open, token]);
  if (token === '' || isUsed(open.error)) return <UsedLink />;
  return (
    <GuestPage title={t.entering}>
      <div className="mt-6">{open.isError ? <ErrorNotice error={open.error} /> : <Spinner />}</div>
    </GuestPage>
  );
}
