import type { BotDetail, Case } from '@parley/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, issuesOf } from '../../api/client.ts';
import { useMay } from '../../app/use-may.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Field, Input, Textarea } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { Switch } from '../../components/ui/switch.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { caseMessages } from './cases.messages.ts';
import { CheckRows } from './check-rows.tsx';
import { caseQuery } from './quality.queries.ts';

type Content = Pick<Case, 'name' | 'messages' | 'checks' | 'enabled'>;

const roles = ['contact', 'assistant'] as const;
const maxMessages = 20;

export function NewCaseDialog({ bot, onClose }: { bot: BotDetail; onClose: () => void }) {
  const t = useMessages(caseMessages);
  return (
    <Dialog open onOpenChange={onClose} title={t.newCase} wide keepsOpen>
      <CaseForm
        bot={bot}
        initial={{ name: '', messages: [{ role: 'contact', text: '' }], checks: [], enabled: true }}
        save={({ name, ...content }) =>
          api.createCase({ id: bot.id, ...content, ...(name.trim() === '' ? {} : { name }) })
        }
        onClose={onClose}
      />
    </Dialog>
  );
}

export function CaseDialog({
  bot,
  caseId,
  onClose,
}: {
  bot: BotDetail;
  caseId: string;
  onClose: () => void;
}) {
  const t = useMessages(caseMessages);
  const query = useQuery(caseQuery(bot.id, caseId));
  return (
    <Dialog open onOpenChange={onClose} title={t.editCase} wide keepsOpen>
      <Loaded query={query}>
        {(stored) => (
          <CaseForm
            bot={bot}
            initial={stored}
            save={(content, { updated_at }) =>
              api.updateCase({ id: bot.id, caseId, ...content, expected_updated_at: updated_at })
            }
            remove={() => api.deleteCase({ id: bot.id, caseId })}
            onClose={onClose}
          />
        )}
      </Loaded>
    </Dialog>
  );
}

function CaseForm<Opened extends Content>({
  bot,
  initial,
  save,
  remove,
  onClose,
}: {
  bot: BotDetail;
  initial: Opened;
  /** `opened` is the case that the form began with. It may have been read again since. */
  save: (content: Content, opened: Opened) => Promise<unknown>;
  remove?: () => Promise<unknown>;
  onClose: () => void;
}) {
  const t = useMessages(caseMessages);
  const common = useMessages(commonMessages);
  const may = useMay();
  const queries = useQueryClient();
  const [opened] = useState(initial);
  const [{ name, messages, checks, enabled }, setContent] = useState<Content>(initial);
  const change = (changes: Partial<Content>) => setContent((old) => ({ ...old, ...changes }));
  const end = async () => {
    await queries.invalidateQueries({ queryKey: ['bots', 'cases', bot.id] });
    queries.removeQueries({ queryKey: ['bots', 'case', bot.id] });
    onClose();
  };
  const saving = useMutation({
    mutationFn: () => save({ name, messages, checks, enabled }, opened),
    onSuccess: end,
  });
  const removing = useMutation({ mutationFn: async () => remove?.(), onSuccess: end });
  const error = saving.error ?? removing.error;
  const issues = issuesOf(saving.error);
  const isBusy = saving.isPending || removing.isPending;
  const mayChange = may('updateCase');
  return (
    <form
      className="grid gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <fieldset disabled={!mayChange || isBusy} className="grid min-w-0 gap-5">
        <Field label={`${common.name} (${common.optional})`} error={issues['name']}>
          <Input value={name} maxLength={200} onChange={(event) => change({ name: event.target.value })} />
        </Field>
        <MessageRows messages={messages} issues={issues} onChange={(rows) => change({ messages: rows })} />
        <CheckRows bot={bot} checks={checks} issues={issues} onChange={(rows) => change({ checks: rows })} />
        <Switch
          label={t.enabled}
          checked={enabled}
          onChange={(chosen) => change({ enabled: chosen })}
          disabled={!mayChange || isBusy}
        />
      </fieldset>
      {error !== null && <ErrorNotice error={error} />}
      {mayChange && (
        <DialogFooter>
          {remove !== undefined && (
            <Button
              look="dangerGhost"
              busy={removing.isPending}
              disabled={isBusy}
              onClick={() => removing.mutate()}
            >
              {t.deleteCase}
            </Button>
          )}
          <Button type="submit" look="primary" busy={saving.isPending} disabled={isBusy}>
            {t.saveCase}
          </Button>
        </DialogFooter>
      )}
    </form>
  );
}

function MessageRows({
  messages,
  issues,
  onChange,
}: {
  messages: Case['messages'];
  issues: Readonly<Record<string, string>>;
  onChange: (messages: Case['messages']) => void;
}) {
  const t = useMessages(caseMessages);
  const { number } = useFormats();
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 font-medium">{t.messages}</legend>
      {messages.map((message, index) => {
        const position = number(index + 1);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no ids, and an edited text must keep its field
          <div key={index} className="grid gap-1">
            <div className="flex items-start gap-2">
              <Select
                label={`${t.message(position)}`}
                value={message.role}
                className="w-28 shrink-0"
                choices={roles.map((value) => ({ value, label: t.roles[value] }))}
                onChange={(role) => onChange(messages.with(index, { ...message, role }))}
              />
              <Textarea
                aria-label={`${t.message(position)}: ${t.roles[message.role]}`}
                className="min-h-9"
                rows={1}
                maxLength={4096}
                value={message.text}
                onChange={(event) => onChange(messages.with(index, { ...message, text: event.target.value }))}
              />
              {messages.length > 1 && (
                <Button
                  look="ghost"
                  size="iconSmall"
                  className="text-muted"
                  aria-label={t.removeMessage(position)}
                  onClick={() => onChange(messages.toSpliced(index, 1))}
                >
                  <Trash2 aria-hidden className="size-4" />
                </Button>
              )}
            </div>
            {issues[`messages[${index}].text`] !== undefined && (
              <p className="text-danger text-[0.8125rem]">{issues[`messages[${index}].text`]}</p>
            )}
          </div>
        );
      })}
      {messages.length < maxMessages && (
        <div>
          <Button size="small" onClick={() => onChange([...messages, { role: 'contact', text: '' }])}>
            <Plus aria-hidden className="size-4" />
            {t.addMessage}
          </Button>
        </div>
      )}
    </fieldset>
  );
}
