import type { BotDetail } from '@parley/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { EllipsisVertical, Rocket, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Menu, MenuItem } from '../../components/ui/menu.tsx';
import { toastError, toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { botMessages } from './bot.messages.ts';

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
  const [asked, setAsked] = useState(false);
  const publish = useMutation({
    mutationFn: () => api.publishBot({ id: bot.id }),
    async onSuccess() {
      await onPublished();
      toastSuccess(t.publishedNow);
    },
    onError: toastError,
  });
  const remove = async () => {
    await api.deleteBot({ id: bot.id });
    await navigate({ to: '/bots', ignoreBlocker: true });
    toastSuccess(t.deleted(bot.name));
    await queries.invalidateQueries();
  };
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
        <MenuItem danger onClick={() => setAsked(true)}>
          <Trash2 aria-hidden className="size-4" />
          {t.delete}…
        </MenuItem>
      </Menu>
      <ConfirmDialog
        open={asked}
        onOpenChange={setAsked}
        title={t.deleteTitle(bot.name)}
        consequences={Object.values(t.deleteEffects)}
        action={t.delete}
        onConfirm={remove}
      />
    </>
  );
}
