import { Mail } from 'lucide-react';
import { settings } from '../../app/settings.ts';
import { buttonClass } from '../../components/ui/button.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { devicesMessages } from './devices.messages.ts';

/** Opens a mail with the link in the mail program of the user. */
export function SendByMail({ url, to = '' }: { url: string; to?: string }) {
  const t = useMessages(devicesMessages);
  const subject = encodeURIComponent(t.mailSubject(settings.brand.name));
  const body = encodeURIComponent(`${t.mailText}\r\n\r\n${url}`);
  return (
    <a
      href={`mailto:${encodeURIComponent(to)}?subject=${subject}&body=${body}`}
      className={buttonClass({ look: 'primary' })}
    >
      <Mail aria-hidden className="size-4" />
      {t.sendByMail}
    </a>
  );
}
