import type { Plan } from '@parley/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { EllipsisVertical, Gauge } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { CreateButton } from '../../components/create-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { Menu, MenuItem } from '../../components/ui/menu.tsx';
import { toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { quotaMessages, quotaNames } from '../../lib/quotas.messages.ts';
import { PlanDialog } from './plan-dialog.tsx';
import { plansMessages } from './plans.messages.ts';
import { plansQuery } from './plans.queries.ts';

export function PlansPage() {
  const t = useMessages(plansMessages);
  const query = useQuery(plansQuery);
  const [edited, setEdited] = useState<Plan | 'new' | null>(null);
  const create = <CreateButton label={t.create} onClick={() => setEdited('new')} />;
  return (
    <Page title={t.title} description={t.intro} actions={create}>
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Card>
              <EmptyState icon={Gauge} title={t.empty} action={create}>
                {t.emptyHint}
              </EmptyState>
            </Card>
          ) : (
            <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
              {data.map((plan) => (
                <PlanCard key={plan.name} plan={plan} onEdit={() => setEdited(plan)} />
              ))}
            </div>
          )
        }
      </Loaded>
      {edited !== null && (
        <PlanDialog plan={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />
      )}
    </Page>
  );
}

function PlanCard({ plan, onEdit }: { plan: Plan; onEdit: () => void }) {
  const t = useMessages(plansMessages);
  const quotas = useMessages(quotaMessages);
  const { number } = useFormats();
  const facts: [string, string][] = [
    [t.active, plan.features.allowActiveMessaging ? number(plan.active_messages_monthly) : t.notAllowed],
    ...quotaNames.map((name): [string, string] => [quotas[name], number(plan.quotas[name])]),
  ];
  return (
    <Card title={plan.name} actions={<PlanMenu plan={plan} onEdit={onEdit} />}>
      <dl className="grid gap-y-2">
        {facts.map(([name, value]) => (
          <div key={name} className="flex justify-between gap-x-4">
            <dt className="text-muted">{name}</dt>
            <dd className="text-right tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function PlanMenu({ plan, onEdit }: { plan: Plan; onEdit: () => void }) {
  const t = useMessages(plansMessages);
  const common = useMessages(commonMessages);
  const queries = useQueryClient();
  const [asked, setAsked] = useState(false);
  const remove = async () => {
    await api.deletePlan({ name: plan.name });
    await queries.invalidateQueries({ queryKey: ['plans'] });
    toastSuccess(t.deleted);
  };
  return (
    <>
      <Menu
        trigger={
          <Button
            look="ghost"
            size="iconSmall"
            className="-mt-1.5 -mr-2"
            aria-label={`${common.more}: ${plan.name}`}
          >
            <EllipsisVertical aria-hidden className="size-4" />
          </Button>
        }
      >
        <MenuItem onClick={onEdit}>{common.edit}</MenuItem>
        <MenuItem danger onClick={() => setAsked(true)}>
          {common.delete}…
        </MenuItem>
      </Menu>
      <ConfirmDialog
        open={asked}
        onOpenChange={setAsked}
        title={t.deleteTitle(plan.name)}
        consequences={Object.values(t.deleteEffects)}
        action={common.delete}
        onConfirm={remove}
      />
    </>
  );
}
