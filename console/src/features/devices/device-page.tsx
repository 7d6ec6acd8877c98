import type { Device } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Inbox, type LucideIcon, TabletSmartphone } from 'lucide-react';
import type { ReactNode } from 'react';
import { settings } from '../../app/settings.ts';
import { useMay } from '../../app/use-may.ts';
import { usePageTitle } from '../../app/use-page-title.ts';
import { useActor } from '../../app/use-session.ts';
import { CopyText } from '../../components/copy-text.tsx';
import { Facts } from '../../components/facts.tsx';
import { lazyDialog } from '../../components/lazily.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { TeamName } from '../../components/team-name.tsx';
import { Card } from '../../components/ui/card.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { ConnectionCard } from './connection-card.tsx';
import { DeviceActions } from './device-actions.tsx';
import { DeviceBadge, useReason } from './device-badge.tsx';
import { devicesMessages } from './devices.messages.ts';
import { botNameQuery, deviceQuery } from './devices.queries.ts';
import { hasTemplates } from './templates.queries.ts';

const route = getRouteApi('/devices/$deviceId');

export function DevicePage() {
  const t = useMessages(devicesMessages);
  const { deviceId } = route.useParams();
  const query = useQuery(deviceQuery(deviceId));
  const isOperator = useActor().teamId === null;
  const may = useMay();
  const title = usePageTitle('/devices');
  const crumbs = [{ label: title, to: '/devices' }];
  if (query.data === undefined)
    return (
      <Page title={title} crumbs={crumbs}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    );
  const device = query.data;
  return (
    <Page
      title={device.name}
      crumbs={crumbs}
      badge={<DeviceBadge device={device} />}
      actions={<DeviceActions device={device} />}
    >
      <div className="grid items-start gap-6 lg:grid-cols-[1fr_20rem]">
        <ConnectionCard device={device} />
        <div className="grid gap-6">
          <DeviceDetails device={device} />
          <Card title={t.nextSteps}>
            <ul className="-mx-2 -my-1 grid">
              <NextStep icon={Inbox}>
                <Link to="/conversations" search={{ device: device.id }} className={linkClass}>
                  {t.toConversations}
                </Link>
              </NextStep>
              {settings.simulator &&
                isOperator &&
                device.network === 'simulator' &&
                device.phone_number !== null && (
                  <NextStep icon={TabletSmartphone}>
                    <Link to="/phone" search={{ device: device.phone_number }} className={linkClass}>
                      {t.toPhone}
                    </Link>
                  </NextStep>
                )}
            </ul>
          </Card>
        </div>
        {device.web_chat !== null && (
          <div className="lg:col-span-2">
            <WebsiteCard device={device} chat={device.web_chat} />
          </div>
        )}
        {hasTemplates(device) && may('listTemplates') && (
          <div className="lg:col-span-2">
            <TemplatesCard device={device} />
          </div>
        )}
      </div>
    </Page>
  );
}

const WebsiteCard = lazyDialog(() => import('./website-card.tsx'), 'WebsiteCard');
const TemplatesCard = lazyDialog(() => import('./templates-card.tsx'), 'TemplatesCard');

const linkClass = 'flex-1 py-2';

const NextStep = ({ icon: Icon, children }: { icon: LucideIcon; children: ReactNode }) => (
  <li className="flex items-center gap-2.5 rounded-lg px-2 font-medium hover:bg-hover">
    <Icon aria-hidden className="size-4 text-muted" />
    {children}
  </li>
);

function DeviceDetails({ device }: { device: Device }) {
  const t = useMessages(devicesMessages);
  const common = useMessages(commonMessages);
  const { dateTime } = useFormats();
  const bot = useQuery(botNameQuery(device.bot_id)).data;
  const isOperator = useActor().teamId === null;
  const reason = useReason(device.last_disconnect_reason);
  return (
    <Card title={t.details}>
      <Facts
        facts={[
          ...(device.capabilities.phone_numbers
            ? [[t.phone, device.phone_number ?? t.notLinked] as const]
            : []),
          [
            t.bot,
            <Link key="bot" to="/bots/$botId" params={{ botId: device.bot_id }} className="hover:underline">
              {bot ?? '…'}
            </Link>,
          ],
          ...(isOperator
            ? [
                [
                  common.team,
                  <Link
                    key="team"
                    to="/teams/$teamId"
                    params={{ teamId: device.team_id }}
                    className="hover:underline"
                  >
                    <TeamName id={device.team_id} />
                  </Link>,
                ] as const,
              ]
            : []),
          [
            t.lastDisconnect,
            reason === null
              ? common.none
              : `${reason}${device.last_disconnect_at === null ? '' : ` (${dateTime(device.last_disconnect_at)})`}`,
          ],
          [common.created, dateTime(device.created_at)],
          ['ID', <CopyText key="id" text={device.id} label="ID" />],
        ]}
      />
    </Card>
  );
}
