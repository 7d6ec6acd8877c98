import type { ApiKey } from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { EllipsisVertical } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useMay } from '../../app/use-may.ts';
import { useActor } from '../../app/use-session.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Menu, MenuItem } from '../../components/ui/menu.tsx';
import { toastError, toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { apiKeysMessages } from './api-keys.messages.ts';

/** The API refuses changes to the key that makes the request (deactivation, deletion), so it has no menu. */
export function ApiKeyMenu({ apiKey }: { apiKey: ApiKey }) {
  const t = useMessages(apiKeysMessages);
  const common = useMessages(commonMessages);
  const queries = useQueryClient();
  const { keyId, role } = useActor();
  const may = useMay();
  const [asked, setAsked] = useState<'deactivate' | 'delete' | null>(null);
  // Keys that reach all teams belong to the owners.
  const isOwners = apiKey.scope === 'global' && role !== null && role !== 'owner';
  if (apiKey.key_id === keyId || isOwners || !may('updateApiKey')) return null;
  const setActive = async (is_active: boolean) => {
    await api.updateApiKey({ keyId: apiKey.key_id, is_active });
    await queries.invalidateQueries({ queryKey: ['api-keys'] });
    toastSuccess(is_active ? t.activated : t.deactivated);
  };
  const remove = async () => {
    await api.deleteApiKey({ keyId: apiKey.key_id });
    await queries.invalidateQueries({ queryKey: ['api-keys'] });
    toastSuccess(t.deleted);
  };
  return (
    <>
      <Menu
        trigger={
          <Button look="ghost" size="iconSmall" aria-label={`${common.more}: ${apiKey.name}`}>
            <EllipsisVertical aria-hidden className="size-4" />
          </Button>
        }
      >
        {apiKey.is_active ? (
          <MenuItem onClick={() => setAsked('deactivate')}>{t.deactivate}…</MenuItem>
        ) : (
          <MenuItem onClick={() => void setActive(true).catch(toastError)}>{t.activate}</MenuItem>
        )}
        <MenuItem danger onClick={() => setAsked('delete')}>
          {common.delete}…
        </MenuItem>
      </Menu>
      <ConfirmDialog
        open={asked === 'deactivate'}
        onOpenChange={(open) => setAsked(open ? 'deactivate' : null)}
        title={t.deactivateTitle(apiKey.name)}
        consequences={Object.values(t.deactivateEffects)}
        action={t.deactivate}
        onConfirm={() => setActive(false)}
      />
      <ConfirmDialog
        open={asked === 'delete'}
        onOpenChange={(open) => setAsked(open ? 'delete' : null)}
        title={t.deleteTitle(apiKey.name)}
        consequences={Object.values(t.deleteEffects)}
        action={common.delete}
        onConfirm={remove}
      />
    </>
  );
}
