import { Pencil, Plus, Trash2, Zap } from 'lucide-react';
import { useState } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { Badge } from '../../components/ui/badge.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { ActionDialog } from './action-dialog.tsx';
import { actionsMessages } from './actions.messages.ts';
import type { ActionDraft, DraftProps } from './bot-draft.ts';
import { playgroundMessages } from './playground.messages.ts';
import { TryActionDialog } from './try-action-dialog.tsx';

const maxActions = 50;

export function ActionsTab({
  draft,
  change,
  issues,
  botId,
  stored,
  isSuspended,
}: DraftProps & { botId: string; stored: readonly ActionDraft[]; isSuspended: boolean }) {
  const t = useMessages(actionsMessages);
  const playground = useMessages(playgroundMessages);
  const { actions } = draft;
  const [tried, setTried] = useState<ActionDraft | null>(null);
  /** A position in the list; its end means a new action. */
  const [edited, setEdited] = useState<number | null>(null);
  const add = (
    <Button onClick={() => setEdited(actions.length)} disabled={actions.length >= maxActions}>
      <Plus aria-hidden className="size-4" />
      {t.addAction}
    </Button>
  );
  return (
    <div className="grid gap-4">
      {actions.length === 0 ? (
        <Card>
          <EmptyState icon={Zap} title={t.noActions} action={add}>
            {t.noActionsHint}
          </EmptyState>
        </Card>
      ) : (
        <>
          <p className="text-muted">{t.actionsHint}</p>
          <ul className="grid gap-3">
            {actions.map((action, position) => (
              <ActionRow
                key={action.id ?? action.name}
                action={action}
                issue={Object.entries(issues).find(([path]) => path.startsWith(`actions[${position}]`))?.[1]}
                onTry={() => setTried(action)}
                // The API tries the stored action.
                cannotTry={
                  isSuspended
                    ? playground.suspended
                    : stored.some((each) => JSON.stringify(each) === JSON.stringify(action))
                      ? undefined
                      : t.tryAfterSaving
                }
                onEdit={() => setEdited(position)}
                onRemove={() => change({ actions: actions.filter((_, index) => index !== position) })}
              />
            ))}
          </ul>
          <div>{add}</div>
        </>
      )}
      {tried !== null && <TryActionDialog botId={botId} action={tried} onClose={() => setTried(null)} />}
      {edited !== null && (
        <ActionDialog
          action={actions[edited] ?? null}
          onClose={() => setEdited(null)}
          onApply={(action) =>
            change({ actions: edited < actions.length ? actions.with(edited, action) : [...actions, action] })
          }
        />
      )}
    </div>
  );
}

function ActionRow({
  action,
  issue,
  onTry,
  cannotTry,
  onEdit,
  onRemove,
}: {
  action: ActionDraft;
  issue: string | undefined;
  onTry: () => void;
  /** Why the API would refuse to try it. */
  cannotTry: string | undefined;
  onEdit: () => void;
  onRemove: () => void;
}) {
  const t = useMessages(actionsMessages);
  const common = useMessages(commonMessages);
  return (
    <li className="flex flex-wrap items-start justify-end gap-3 rounded-xl border bg-card p-4">
      <div className="grid min-w-56 flex-1 gap-1">
        <p className="font-medium wrap-anywhere">{action.name}</p>
        {action.description !== '' && <p className="text-muted wrap-anywhere">{action.description}</p>}
        <p className="flex min-w-0 items-center gap-2">
          <Badge>{action.method}</Badge>
          <code className="truncate font-mono text-muted text-xs">{action.endpoint}</code>
        </p>
        {issue !== undefined && <p className="text-danger text-[0.8125rem]">{issue}</p>}
      </div>
      <div className="flex items-center gap-1">
        <Button
          size="small"
          aria-label={`${t.try}: ${action.name}`}
          disabled={cannotTry !== undefined}
          title={cannotTry}
          onClick={onTry}
        >
          {t.try}
        </Button>
        <Button look="ghost" size="iconSmall" aria-label={`${common.edit}: ${action.name}`} onClick={onEdit}>
          <Pencil aria-hidden className="size-4" />
        </Button>
        <Button
          look="ghost"
          size="iconSmall"
          className="text-muted"
          aria-label={t.removeRow(action.name)}
          onClick={onRemove}
        >
          <Trash2 aria-hidden className="size-4" />
        </Button>
      </div>
    </li>
  );
}
