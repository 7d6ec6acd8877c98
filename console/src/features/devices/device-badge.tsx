import type { Device } from '@parley/sdk';
import { Badge, type Tone } from '../../components/ui/badge.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { devicesMessages } from './devices.messages.ts';
import { type DeviceState, stateOf } from './devices.queries.ts';
import { disconnectReasonMessages } from './disconnect-reasons.messages.ts';

const tones: Record<DeviceState, Tone> = {
  connected: 'success',
  connecting: 'accent',
  reconnecting: 'warning',
  waiting: 'accent',
  stopped: 'neutral',
  blocked: 'danger',
};

export function DeviceBadge({ device }: { device: Device }) {
  const t = useMessages(devicesMessages);
  const state = stateOf(device);
  return <Badge tone={tones[state]}>{t.states[state]}</Badge>;
}

/** Why and when the device lost its connection. Nothing while it is connected or waits for its first one. */
export function LastDisconnect({ device, className = '' }: { device: Device; className?: string }) {
  const { ago } = useFormats();
  const reason = useReason(device.last_disconnect_reason);
  if (device.connected || stateOf(device) === 'waiting' || reason === null) return null;
  return (
    <p className={`text-muted text-[0.8125rem] wrap-anywhere ${className}`}>
      {reason}
      {device.last_disconnect_at !== null && ` · ${ago(device.last_disconnect_at)}`}
    </p>
  );
}

/** Returns the reason in the user's language, or the API's word if there is no translation. */
export function useReason(reason: string | null): string | null {
  const reasons: Readonly<Record<string, string>> = useMessages(disconnectReasonMessages);
  return reason === null ? null : (reasons[reason] ?? reason);
}
