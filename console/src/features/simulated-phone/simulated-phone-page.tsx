import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { TabletSmartphone } from 'lucide-react';
import { api } from '../../api/client.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { buttonClass } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { linkedPhones } from './network.ts';
import { Phone } from './phone.tsx';
import { phoneMessages } from './simulated-phone.messages.ts';

const route = getRouteApi('/phone');

const linkedDevicesQuery = queryOptions({
  queryKey: ['devices', 'linked'],
  queryFn: ({ signal }) => api.listDevices({ limit: 100 }, { signal }),
  refetchInterval: 3_000,
});

export function SimulatedPhonePage() {
  const t = useMessages(phoneMessages);
  const query = useQuery({
    queryKey: ['simulator', 'phones'],
    queryFn: ({ signal }) => linkedPhones(signal),
    refetchInterval: 3_000,
  });
  return (
    <Page title={t.title} description={t.intro}>
      <Loaded query={query}>
        {(phones) =>
          phones.length === 0 ? (
            <NoPhones />
          ) : (
            <Chooser numbers={phones.map(({ phone_number }) => phone_number)} />
          )
        }
      </Loaded>
    </Page>
  );
}

function NoPhones() {
  const t = useMessages(phoneMessages);
  const common = useMessages(commonMessages);
  return (
    <Card>
      <EmptyState
        icon={TabletSmartphone}
        title={t.noPhones}
        action={
          <Link to="/" className={buttonClass()}>
            {common.toHome}
          </Link>
        }
      >
        {t.noPhonesHint}
      </EmptyState>
    </Card>
  );
}

function Chooser({ numbers }: { numbers: readonly string[] }) {
  const t = useMessages(phoneMessages);
  const { device } = route.useSearch();
  const devices = useQuery(linkedDevicesQuery).data?.data ?? [];
  const chosen = numbers.find((number) => digitsOf(number) === digitsOf(device ?? '')) ?? numbers[0] ?? '';
  const deviceOf = (number: string) =>
    devices.find(({ phone_number }) => digitsOf(phone_number ?? '') === digitsOf(number));
  return (
    <div className="grid items-start gap-6 md:grid-cols-[16rem_1fr]">
      <nav aria-label={t.devices}>
        <ul className="grid max-h-48 gap-0.5 overflow-y-auto md:max-h-[36rem]">
          {numbers.map((number) => (
            <li key={number}>
              <Link
                to="/phone"
                search={{ device: number }}
                replace
                aria-current={number === chosen ? 'page' : undefined}
                className="grid rounded-lg px-3 py-2 hover:bg-hover aria-[current=page]:bg-hover"
              >
                <span className="truncate font-medium">{deviceOf(number)?.name ?? number}</span>
                <span className="text-muted text-[0.8125rem] tabular-nums">
                  {deviceOf(number) !== undefined && number}
                  {deviceOf(number)?.connected === false && ` · ${t.notConnected}`}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Phone key={chosen} device={chosen} title={deviceOf(chosen)?.name ?? chosen} />
    </div>
  );
}

/** The API and the simulated network write numbers with and without a plus sign. */
const digitsOf = (number: string): string => number.replaceAll(/\D/g, '');
