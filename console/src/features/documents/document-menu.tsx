import type { Document } from '@parley/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { EllipsisVertical } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { api, issuesOf } from '../../api/client.ts';
import { useMay } from '../../app/use-may.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { Menu, MenuItem } from '../../components/ui/menu.tsx';
import { toastError, toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { saveFile } from '../../lib/save-file.ts';
import { documentsMessages } from './documents.messages.ts';

export function DocumentMenu({ document }: { document: Document }) {
  const t = useMessages(documentsMessages);
  const common = useMessages(commonMessages);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const may = useMay();
  const [asked, setAsked] = useState<'rename' | 'delete' | null>(null);
  const download = async () => {
    const response = await api.getDocumentContent({ id: document.id });
    saveFile(await response.blob(), document.name);
  };
  const remove = async () => {
    await api.deleteDocument({ id: document.id });
    await queries.invalidateQueries();
    toastSuccess(t.deleted(document.name));
  };
  return (
    <>
      <Menu
        trigger={
          <Button look="ghost" size="iconSmall" aria-label={`${common.more}: ${document.name}`}>
            <EllipsisVertical aria-hidden className="size-4" />
          </Button>
        }
      >
        <MenuItem onClick={() => void download().catch(toastError)}>{t.download}</MenuItem>
        <MenuItem onClick={() => void navigate({ to: '/bots', search: { document: document.id } })}>
          {t.showBots}
        </MenuItem>
        {may('renameDocument') && <MenuItem onClick={() => setAsked('rename')}>{common.rename}…</MenuItem>}
        {may('deleteDocument') && (
          <MenuItem danger onClick={() => setAsked('delete')}>
            {common.delete}…
          </MenuItem>
        )}
      </Menu>
      {asked === 'rename' && <RenameDialog document={document} onClose={() => setAsked(null)} />}
      <ConfirmDialog
        open={asked === 'delete'}
        onOpenChange={(open) => setAsked(open ? 'delete' : null)}
        title={t.deleteTitle(document.name)}
        consequences={Object.values(t.deleteEffects)}
        action={common.delete}
        onConfirm={remove}
      />
    </>
  );
}

function RenameDialog({ document, onClose }: { document: Document; onClose: () => void }) {
  const t = useMessages(documentsMessages);
  const common = useMessages(commonMessages);
  const queries = useQueryClient();
  const [name, setName] = useState(document.name);
  const rename = useMutation({
    mutationFn: () => api.renameDocument({ id: document.id, name }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['documents'] });
      toastSuccess(t.renamed);
      onClose();
    },
  });
  const issue = issuesOf(rename.error)['name'];
  return (
    <Dialog open onOpenChange={onClose} title={t.renameTitle}>
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          rename.mutate();
        }}
        className="grid gap-4"
      >
        <Field label={common.name} hint={t.renameHint} error={issue}>
          <Input required value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
        </Field>
        {rename.isError && issue === undefined && <ErrorNotice error={rename.error} />}
        <DialogFooter>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" look="primary" busy={rename.isPending}>
            {common.rename}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
