import type { Plan } from '@parley/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { EllipsisVertical, Gauge } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { useMay } from '../../app/use-may.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { CreateButton } from '../../components/create-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { Button, buttonClass } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Menu, MenuItem } from '../../components/ui/menu.tsx';
import { toastError, toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { quotaMessages, quotaNames } from '../../lib/quotas.messages.ts';
import { teamsOnPlanQuery } from '../teams/teams.queries.ts';
import { PlanDialog } from './plan-dialog.tsx';
import { plansMessages } from './plans.messages.ts';
import { plansQuery } from './plans.queries.ts';

export function PlansPage() {
  const t = useMessages(plansMessages);
  const query = useQuery(plansQuery);
  const [edited, setEdited] = useState<Plan | 'new' | null>(null);
  const mayEdit = useMay()('putPlan');
  const create = mayEdit && <CreateButton label={t.create} onClick={() => setEdited('new')} />;
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
                <PlanCard key={plan.name} plan={plan} onEdit={mayEdit ? () => setEdited(plan) : undefined} />
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

function PlanCard({ plan, onEdit }: { plan: Plan; onEdit: (() => void) | undefined }) {
  const t = useMessages(plansMessages);
  const quotas = useMessages(quotaMessages);
  const { number } = useFormats();
  const teams = useQuery(teamsOnPlanQuery(plan.name)).data?.meta.total;
  const showTeams = teams !== undefined && (
    <Link to="/teams" search={{ plan: plan.name }} className="underline underline-offset-4">
      {number(teams)}
    </Link>
  );
  const facts: [string, ReactNode][] = [
    [t.teams, showTeams || '…'],
    [t.active, plan.features.allowActiveMessaging ? number(plan.active_messages_monthly) : t.notAllowed],
    ...quotaNames.map((name): [string, string] => [quotas[name], number(plan.quotas[name])]),
  ];
  return (
    <Card title={plan.name} actions={onEdit !== undefined && <PlanMenu plan={plan} onEdit={onEdit} />}>
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

type Teams = Awaited<ReturnType<typeof api.listTeams>>;

function PlanMenu({ plan, onEdit }: { plan: Plan; onEdit: () => void }) {
  const t = useMessages(plansMessages);
  const common = useMessages(commonMessages);
  const queries = useQueryClient();
  const [asked, setAsked] = useState(false);
  const [usedBy, setUsedBy] = useState<Teams | null>(null);
  /** The API refuses to delete a plan that teams use. */
  const askToDelete = async () => {
    const teams = await queries.fetchQuery({ ...teamsOnPlanQuery(plan.name), staleTime: 0 });
    if (teams.meta.total === 0) setAsked(true);
    else setUsedBy(teams);
  };
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
        <MenuItem danger onClick={() => void askToDelete().catch(toastError)}>
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
      {usedBy !== null && <PlanInUse plan={plan.name} teams={usedBy} onClose={() => setUsedBy(null)} />}
    </>
  );
}

function PlanInUse({ plan, teams, onClose }: { plan: string; teams: Teams; onClose: () => void }) {
  const t = useMessages(plansMessages);
  const common = useMessages(commonMessages);
  const { number } = useFormats();
  const others = teams.meta.total - teams.data.length;
  return (
    <Dialog open onOpenChange={onClose} title={t.inUseTitle(plan)}>
      <p className="text-muted">{t.inUse}</p>
      <ul className="mt-3 grid list-disc gap-1.5 pl-4.5 marker:text-control">
        {teams.data.map(({ id, name }) => (
          <li key={id} className="wrap-anywhere">
            {name}
          </li>
        ))}
        {others > 0 && <li>{t.moreTeams(number(others))}</li>}
      </ul>
      <DialogFooter>
        <Button onClick={onClose}>{common.close}</Button>
        <Link to="/teams" search={{ plan }} className={buttonClass({ look: 'primary' })}>
          {t.showTeams}
        </Link>
      </DialogFooter>
    </Dialog>
  );
}
