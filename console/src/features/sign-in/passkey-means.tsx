import { isParleyError } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { people } from '../../api/client.ts';
import { startPersonSession } from '../../api/session.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { askForPasskey } from '../../lib/passkeys.ts';
import { passkeyMessages } from '../account/passkey.messages.ts';

/** Signs in with a passkey of this browser or of a phone. */
export function PasskeyMeans() {
  const t = useMessages(passkeyMessages);
  const signIn = useMutation({
    async mutationFn() {
      const signed = await askForPasskey(await people.startPasskeySignIn());
      if (signed !== null) startPersonSession(await people.signInWithPasskey(signed));
    },
  });
  const isUnknown = isParleyError(signIn.error) && signIn.error.status === 401;
  return (
    <div className="mt-4 grid gap-3">
      <Button busy={signIn.isPending} onClick={() => signIn.mutate()}>
        {t.signIn}
      </Button>
      {signIn.error !== null && <ErrorNotice error={isUnknown ? new Error(t.unknown) : signIn.error} />}
    </div>
  );
}
