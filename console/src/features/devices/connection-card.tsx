import type { ConnectionStatus, Device } from '@parley/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleSlash, Plug, Share2, Smartphone } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { settings } from '../../app/settings.ts';
import { useMay } from '../../app/use-may.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Button, buttonClass } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { Spinner } from '../../components/ui/spinner.tsx';
import { toastError } from '../../components/ui/toast.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { teamQuery } from '../teams/teams.queries.ts';
import { accountMessages } from './account.messages.ts';
import { useReason } from './device-badge.tsx';
import { devicesMessages } from './devices.messages.ts';
import { deviceStatusQuery, stateOf } from './devices.queries.ts';
import { disconnectReasonMessages } from './disconnect-reasons.messages.ts';
import { ScanWithSimulator } from './scan-with-simulator.tsx';
import { ShareLinkDialog } from './share-link-dialog.tsx';
import { websiteMessages } from './website.messages.ts';

/** The state of the connection with the one thing to do next. */
export function ConnectionCard({ device }: { device: Device }) {
  const t = useMessages(devicesMessages);
  const query = useQuery(deviceStatusQuery(device.id));
  return (
    <Card title={t.connection}>
      <Loaded query={query}>
        {(status) => (
          <>
            <Restrictions status={status} />
            <Connection device={device} status={status} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

/** What the network or Parley refuses for a time. */
function Restrictions({ status: { restrictions } }: { status: ConnectionStatus }) {
  const t = useMessages(devicesMessages);
  const { dateTime } = useFormats();
  if (restrictions.length === 0) return null;
  return (
    <ul className="grid gap-1 rounded-lg border border-warning/40 bg-warning/5 px-4 py-3">
      {restrictions.map(({ kind, reason, until }) => (
        <li key={kind}>
          {until === null
            ? `${t.restrictions[reason]}.`
            : t.restrictedUntil(t.restrictions[reason], dateTime(until))}
        </li>
      ))}
    </ul>
  );
}

function Connection({ device, status }: { device: Device; status: ConnectionStatus }) {
  const t = useMessages(devicesMessages);
  const website = useMessages(websiteMessages);
  const isWebsite = device.web_chat !== null;
  const reason = useReason(status.last_disconnect_reason);
  const account = useMessages(accountMessages);
  const waitingTexts = {
    waiting: t.preparing,
    connecting: t.connectingHint,
    reconnecting: t.reconnectingHint,
  };
  const state = stateOf({ ...device, status: status.status, connected: status.connected });
  if (status.qr_code !== undefined) return <QrCode device={device} code={status.qr_code} />;
  switch (state) {
    case 'connected':
      return (
        <EmptyState
          icon={CircleCheck}
          title={isWebsite ? website.started : t.connectedAs(status.phone_number ?? device.name)}
        >
          {isWebsite
            ? website.startedHint
            : device.capabilities.credentials
              ? account.connectedHint
              : t.connectedHint}
        </EmptyState>
      );
    case 'blocked':
      return (
        <EmptyState icon={CircleSlash} title={t.states.blocked}>
          {t.blockedHint}
        </EmptyState>
      );
    case 'stopped':
      return <Stopped device={device} reason={reason} />;
    default:
      return (
        <div role="status" className="grid justify-items-center gap-3 py-14 text-center text-muted">
          <Spinner className="size-6" />
          {state !== 'waiting' && reason !== null && (
            <p className="font-semibold text-foreground">{reason}</p>
          )}
          <p>{waitingTexts[state]}</p>
        </div>
      );
  }
}

function Stopped({ device, reason }: { device: Device; reason: string | null }) {
  const t = useMessages(devicesMessages);
  const reasons = useMessages(disconnectReasonMessages);
  const website = useMessages(websiteMessages);
  const account = useMessages(accountMessages);
  const may = useMay();
  const query = useQuery(teamQuery(device.team_id));
  // The API refuses to connect a device of a suspended team.
  if (query.data?.banned === true)
    return (
      <EmptyState
        icon={Smartphone}
        title={reasons.team_banned}
        action={
          may('deleteTeam') && (
            <Link to="/teams/$teamId" params={{ teamId: device.team_id }} className={buttonClass()}>
              {t.toTeam}
            </Link>
          )
        }
      >
        {t.suspendedHint}
      </EmptyState>
    );
  return (
    <EmptyState
      icon={Smartphone}
      title={
        device.capabilities.credentials && device.webhook_url === null
          ? account.none
          : (reason ?? t.states.stopped)
      }
      action={may('connectDevice') && <Start device={device} />}
    >
      {device.web_chat !== null
        ? website.stoppedHint
        : device.capabilities.credentials
          ? needsCredentials(device)
            ? account.enterHint
            : account.storedHint
          : device.phone_number === null
            ? t.linkHint
            : t.reconnectHint}
    </EmptyState>
  );
}

/** The API connects no device without credentials, and the network refuses wrong ones again. */
const needsCredentials = ({
  capabilities,
  webhook_url: url,
  last_disconnect_reason: reason,
}: Device): boolean => capabilities.credentials && (url === null || reason === 'credentials_invalid');

/** The API takes no other credentials while the present ones work. */
const takesLink = (device: Device): boolean =>
  device.capabilities.credentials
    ? needsCredentials(device) || device.last_disconnect_reason === 'account_in_use'
    : device.phone_number === null && device.web_chat === null;

function Start({ device }: { device: Device }) {
  const t = useMessages(devicesMessages);
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [sharing, setSharing] = useState(false);
  const may = useMay();
  const connect = async () => {
    setBusy(true);
    try {
      await api.connectDevice({ id: device.id });
    } catch (error) {
      toastError(error);
    } finally {
      await queries.invalidateQueries({ queryKey: ['devices'] });
      setBusy(false);
    }
  };
  return (
    <>
      {!needsCredentials(device) && (
        <Button look="primary" busy={busy} onClick={() => void connect()}>
          {!busy && <Plug aria-hidden className="size-4" />}
          {t.connect}
        </Button>
      )}
      {takesLink(device) && may('createDeviceLink') && (
        <Button look={needsCredentials(device) ? 'primary' : 'secondary'} onClick={() => setSharing(true)}>
          <Share2 aria-hidden className="size-4" />
          {t.share}
        </Button>
      )}
      <ShareLinkDialog open={sharing} onOpenChange={setSharing} device={device} />
    </>
  );
}

function QrCode({ device, code }: { device: Device; code: string }) {
  const t = useMessages(devicesMessages);
  const [sharing, setSharing] = useState(false);
  const may = useMay();
  return (
    <div className="grid items-center justify-center gap-6 md:grid-cols-[auto_minmax(0,22rem)]">
      <img src={code} alt={t.qrCode} className="mx-auto size-60 rounded-xl border bg-white p-2" />
      <div className="grid gap-4">
        <h3 className="text-base font-semibold">{t.scanTitle}</h3>
        <ol className="grid list-decimal gap-1.5 pl-5 marker:text-muted">
          {Object.values(t.steps).map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <p className="text-muted text-[0.8125rem]">{t.refreshes}</p>
        <div className="flex flex-wrap gap-2">
          {settings.simulator && <ScanWithSimulator code={code} />}
          {may('createDeviceLink') && (
            <Button onClick={() => setSharing(true)}>
              <Share2 aria-hidden className="size-4" />
              {t.share}
            </Button>
          )}
        </div>
      </div>
      <ShareLinkDialog open={sharing} onOpenChange={setSharing} device={device} />
    </div>
  );
}
