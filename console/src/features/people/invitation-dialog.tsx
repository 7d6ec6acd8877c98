import { CopyText } from '../../components/copy-text.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { peopleMessages } from './people.messages.ts';
import type { Invitation } from './people.queries.ts';

/** Shows the one-time link, which the reader passes on. */
export function InvitationDialog({
  name,
  invitation,
  onClose,
}: {
  name: string;
  invitation: Invitation;
  onClose: () => void;
}) {
  const t = useMessages(peopleMessages);
  const { dateTime } = useFormats();
  return (
    <Dialog
      open
      keepsOpen
      onOpenChange={onClose}
      title={t.invitationTitle(name)}
      description={t.invitationHint(dateTime(invitation.expires_at))}
    >
      <div className="rounded-lg border bg-surface p-4">
        <CopyText text={invitation.invitation_url} label={t.invitation} />
      </div>
      <DialogFooter>
        <Button look="primary" onClick={onClose}>
          {t.done}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
