import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api, issuesOf } from '../../api/client.ts';
import { useActor } from '../../app/use-session.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { TeamPicker } from '../../components/team-picker.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { botsMessages } from './bots.messages.ts';

export function CreateBotDialog({ teamId, onClose }: { teamId: string | null; onClose: () => void }) {
  const t = useMessages(botsMessages);
  return (
    <Dialog open onOpenChange={onClose} title={t.create}>
      <CreateBotForm teamId={teamId} onClose={onClose} />
    </Dialog>
  );
}

function CreateBotForm({ teamId, onClose }: { teamId: string | null; onClose: () => void }) {
  const t = useMessages(botsMessages);
  const common = useMessages(commonMessages);
  const actor = useActor();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [team, setTeam] = useState(teamId);
  const [name, setName] = useState('');
  const create = useMutation({
    mutationFn: () => api.createBot({ team_id: team ?? '', name }),
    async onSuccess(bot) {
      await queries.invalidateQueries({ queryKey: ['bots'] });
      toastSuccess(t.created(bot.name));
      await navigate({ to: '/bots/$botId', params: { botId: bot.id } });
    },
  });
  const issues = issuesOf(create.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Field label={common.name} hint={t.nameHint} error={issues['name']}>
        <Input
          required
          maxLength={100}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      {actor.teamId === null && (
        <Field label={common.team} error={issues['team_id']}>
          <TeamPicker value={team} onChange={setTeam} />
        </Field>
      )}
      {create.isError && Object.keys(issues).length === 0 && <ErrorNotice error={create.error} />}
      <DialogFooter>
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button type="submit" look="primary" busy={create.isPending} disabled={team === null}>
          {common.create}
        </Button>
      </DialogFooter>
    </form>
  );
}
