import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { TabletSmartphone } from 'lucide-react';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { buttonClass } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { Select } from '../../components/ui/select.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { linkedPhones } from './network.ts';
import { Phone } from './phone.tsx';
import { phoneMessages } from './simulated-phone.messages.ts';

const route = getRouteApi('/phone');

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
  const navigate = route.useNavigate();
  const chosen = numbers.find((number) => number === device) ?? numbers[0] ?? '';
  return (
    <div className="grid justify-center gap-4 sm:justify-start">
      <Select
        label={t.device}
        value={chosen}
        onChange={(number) => void navigate({ search: { device: number }, replace: true })}
        choices={numbers.map((value) => ({ value, label: value }))}
      />
      <Phone key={chosen} device={chosen} title={chosen} />
    </div>
  );
}
