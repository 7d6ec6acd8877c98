import type { Device } from '@parley/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { CopyText } from '../../components/copy-text.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Dialog } from '../../components/ui/dialog.tsx';
import { Field } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { accountMessages } from './account.messages.ts';
import { SendByMail } from './send-by-mail.tsx';
import { shareLinkMessages } from './share-link.messages.ts';

interface Props {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  device: Device;
}

/** Creates a link for a person without access to the console. */
export function ShareLinkDialog({ open, onOpenChange, device }: Props) {
  const t = useMessages(shareLinkMessages);
  const account = useMessages(accountMessages);
  const texts = device.capabilities.credentials
    ? { title: account.linkTitle, hint: account.linkHint, expires: account.linkExpires }
    : t;
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={texts.title} description={texts.hint}>
      <NewLink deviceId={device.id} texts={texts} />
    </Dialog>
  );
}

/** In hours. A new link ends the earlier one. */
const lifetimes = ['0.25', '24', '72'] as const;

function NewLink({
  deviceId,
  texts,
}: {
  deviceId: string;
  texts: { title: string; expires: (time: string) => string };
}) {
  const t = useMessages(shareLinkMessages);
  const { dateTime } = useFormats();
  const [hours, setHours] = useState<(typeof lifetimes)[number]>('24');
  const seconds = Math.round(Number(hours) * 3600);
  const queries = useQueryClient();
  const queryKey = ['devices', 'link', deviceId, hours];
  const query = useQuery({
    queryKey,
    queryFn: () => api.createDeviceLink({ id: deviceId, expires_in: seconds }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <div className="grid gap-4">
      <Field label={t.lifetime}>
        <Select
          value={hours}
          onChange={setHours}
          choices={lifetimes.map((value) => ({ value, label: t.lifetimes[value] }))}
        />
      </Field>
      <Loaded query={query}>
        {({ url, expires_at }) => (
          <div className="grid gap-3">
            <div className="rounded-lg border bg-card p-3">
              <CopyText text={url} label={texts.title} />
            </div>
            <p className="text-muted">{texts.expires(dateTime(expires_at))}</p>
            <SendByMail
              url={url}
              deviceId={deviceId}
              seconds={seconds}
              onSent={(link) => queries.setQueryData(queryKey, link)}
            />
          </div>
        )}
      </Loaded>
    </div>
  );
}
