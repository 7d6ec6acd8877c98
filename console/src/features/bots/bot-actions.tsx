import { type BotDetail, isParleyError } from '@parley/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { EllipsisVertical, Rocket, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useMay } from '../../app/use-may.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { lazyDialog } from '../../components/lazily.tsx';
import { Button, buttonClass } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Menu, MenuItem } from '../../components/ui/menu.tsx';
import { toastError, toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { publishThroughGate } from '../quality/publish-through-gate.ts';
import { botMessages } from './bot.messages.ts';

const GateDialog = lazyDialog(() => import('../quality/gate-dialog.tsx'), 'GateDialog');

export function BotActions({
  bot,
  isChanged,
  onPublished,
}: {
  bot: BotDetail;
  isChanged: boolean;
  onPublished: () => Promise<void>;
}) {
  const t = useMessages(botMessages);
  const common = useMessages(commonMessages);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<'delete' | 'inUse' | null>(null);
  const [refusal, setRefusal] = useState<{ message: string; runId: string } | null>(null);
  const showPublished = async () => {
    await onPublished();
    toastSuccess(t.publishedNow);
  };
  const publish = useMutation({
    mutationFn: () => publishThroughGate(bot.id),
    onSuccess: showPublished,
    onError(error) {
      if (isParleyError(error, 'gate_failed'))
        setRefusal({ message: error.message, runId: error.details.run_id });
      else toastError(error);
    },
  });
  const remove = async () => {
    await api.deleteBot({ id: bot.id });
    await navigate({ to: '/bots', ignoreBlocker: true });
    toastSuccess(t.deleted(bot.name));
    await queries.invalidateQueries();
  };
  /** The API refuses to delete a bot that devices use. */
  const askToDelete = async () => {
    const { meta } = await api.listDevices({ bot_id: bot.id, limit: 1 });
    setAsked(meta.total === 0 ? 'delete' : 'inUse');
  };
  const may = useMay();
  if (!may('publishBot')) return null;
  const hint = isChanged ? t.saveFirst : bot.published ? t.upToDate : undefined;
  return (
    <>
      <Button
        look="primary"
        busy={publish.isPending}
        disabled={hint !== undefined}
        title={hint}
        onClick={() => publish.mutate()}
      >
        <Rocket aria-hidden className="size-4" />
        {t.publish}
      </Button>
      <Menu
        trigger={
          <Button size="icon" aria-label={common.more}>
            <EllipsisVertical aria-hidden className="size-4" />
          </Button>
        }
      >
        <MenuItem danger onClick={() => void askToDelete().catch(toastError)}>
          <Trash2 aria-hidden className="size-4" />
          {t.delete}…
        </MenuItem>
      </Menu>
      {refusal !== null && (
        <GateDialog
          botId={bot.id}
          refusal={refusal}
          onPublished={showPublished}
          onClose={() => setRefusal(null)}
        />
      )}
      <ConfirmDialog
        open={asked === 'delete'}
        onOpenChange={() => setAsked(null)}
        title={t.deleteTitle(bot.name)}
        consequences={Object.values(t.deleteEffects)}
        action={t.delete}
        onConfirm={remove}
      />
      <Dialog open={asked === 'inUse'} onOpenChange={() => setAsked(null)} title={t.inUseTitle(bot.name)}>
        <p className="text-muted">{t.inUse}</p>
        <DialogFooter>
          <Button onClick={() => setAsked(null)}>{common.close}</Button>
          <Link to="/devices" search={{ bot: bot.id }} className={buttonClass({ look: 'primary' })}>
            {t.showDevices}
          </Link>
        </DialogFooter>
      </Dialog>
    </>
  );
}
