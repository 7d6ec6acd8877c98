import type { DeviceLink } from '@parley/sdk';
import { Mail } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { api } from '../../api/client.ts';
import { settings, useBrand } from '../../app/settings.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button, buttonClass } from '../../components/ui/button.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { cn } from '../../lib/class-names.ts';
import { shareLinkMessages } from './share-link.messages.ts';

interface Props {
  url: string;
  deviceId: string;
  seconds: number;
  to?: string;
  onSent: (link: DeviceLink) => void;
}

/** Mails a new link, which replaces the shown one. Without a mail server, it opens the mail program of the user with the shown one. */
export const SendByMail = (props: Props) =>
  settings.mail ? <MailForm {...props} /> : <MailProgram {...props} />;

function MailForm({ deviceId, seconds, to = '', onSent }: Props) {
  const t = useMessages(shareLinkMessages);
  const [email, setEmail] = useState(to);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const send = async () => {
    setBusy(true);
    setError(null);
    setSentTo(null);
    try {
      onSent(await api.createDeviceLink({ id: deviceId, expires_in: seconds, email: email.trim() }));
      setSentTo(email.trim());
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      className="grid gap-3"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void send();
      }}
    >
      <div className="flex flex-wrap items-end gap-2">
        <Field label={t.recipient} className="min-w-0 flex-1">
          <Input
            type="email"
            required
            maxLength={254}
            autoComplete="off"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <Button type="submit" look="primary" busy={busy}>
          {!busy && <Mail aria-hidden className="size-4" />}
          {t.sendByMail}
        </Button>
      </div>
      <p role="status" className="text-muted empty:hidden">
        {sentTo !== null && t.sentTo(sentTo)}
      </p>
      {error !== null && <ErrorNotice error={error} />}
    </form>
  );
}

function MailProgram({ url, to = '' }: Props) {
  const t = useMessages(shareLinkMessages);
  const { name } = useBrand();
  const subject = encodeURIComponent(t.mailSubject(name));
  const body = encodeURIComponent(`${t.mailText}\r\n\r\n${url}`);
  return (
    <a
      href={`mailto:${encodeURIComponent(to)}?subject=${subject}&body=${body}`}
      className={cn(buttonClass({ look: 'primary' }), 'justify-self-end')}
    >
      <Mail aria-hidden className="size-4" />
      {t.sendByMail}
    </a>
  );
}
