import type { Device } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { CopyText } from '../../components/copy-text.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Dialog } from '../../components/ui/dialog.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { devicesMessages } from './devices.messages.ts';

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

function NewLink({ deviceId }: { deviceId: string }) {
  const t = useMessages(devicesMessages);
  const { time } = useFormats();
  const query = useQuery({
    queryKey: ['devices', 'link', deviceId],
    queryFn: () => api.createDeviceLink({ id: deviceId }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <Loaded query={query}>
      {({ url, expires_at }) => (
        <div className="grid gap-3">
          <div className="rounded-lg border bg-card p-3">
            <CopyText text={url} label={t.shareTitle} />
          </div>
          <p className="text-muted">{t.shareExpires(time(expires_at))}</p>
        </div>
      )}
    </Loaded>
  );
}
