import type { Device } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { CopyText } from '../../components/copy-text.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Dialog } from '../../components/ui/dialog.tsx';
import { Field } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { devicesMessages } from './devices.messages.ts';
import { SendByMail } from './send-by-mail.tsx';

interface Props {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  device: Device;
}

/** Creates a link for a person without access to the console. */
export function ShareLinkDialog({ open, onOpenChange, device }: Props) {
  const t = useMessages(devicesMessages);
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t.shareTitle} description={t.shareHint}>
      <NewLink deviceId={device.id} />
    </Dialog>
  );
}

/** In hours. A new link ends the earlier one. */
const lifetimes = ['0.25', '24', '72'] as const;

function NewLink({ deviceId }: { deviceId: string }) {
  const t = useMessages(devicesMessages);
  const { dateTime } = useFormats();
  const [hours, setHours] = useState<(typeof lifetimes)[number]>('24');
  const query = useQuery({
    queryKey: ['devices', 'link', deviceId, hours],
    queryFn: () => api.createDeviceLink({ id: deviceId, expires_in: Math.round(Number(hours) * 3600) }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <div className="grid gap-4">
      <Field label={t.shareLifetime}>
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
              <CopyText text={url} label={t.shareTitle} />
            </div>
            <p className="text-muted">{t.shareExpires(dateTime(expires_at))}</p>
            <div className="justify-self-end">
              <SendByMail url={url} />
            </div>
          </div>
        )}
      </Loaded>
    </div>
  );
}
