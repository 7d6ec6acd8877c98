import { useQueryClient } from '@tanstack/react-query';
import { TabletSmartphone } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/ui/button.tsx';
import { toastError } from '../../components/ui/toast.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { loadChunk } from '../../lib/load-chunk.ts';
import { randomPhoneNumber, scanCode } from '../simulated-phone/network.ts';
import { devicesMessages } from './devices.messages.ts';

/** Scans the code as a simulated phone with a new number would. */
export function ScanWithSimulator({ code }: { code: string }) {
  const t = useMessages(devicesMessages);
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const scan = async () => {
    setBusy(true);
    try {
      const { readQrCode } = await loadChunk(() => import('../first-run/read-qr-code.ts'));
      await scanCode(await readQrCode(code), randomPhoneNumber());
      await queries.invalidateQueries({ queryKey: ['devices'] });
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button look="primary" busy={busy} onClick={() => void scan()}>
      {!busy && <TabletSmartphone aria-hidden className="size-4" />}
      {t.simulateScan}
    </Button>
  );
}
