import { CopyText } from '../../components/copy-text.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { peopleMessages } from './people.messages.ts';
import type { Invitation } from './people.queries.ts';

/** Shows the one-time link, which the reader passes on unless it was mailed. */
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
  const common = useMessages(commonMessages);
  const { dateTime } = useFormats();
  return (
    <Dialog
      open
      keepsOpen
      onOpenChange={onClose}
      title={t.invitationTitle(name)}
      description={(invitation.mailed ? t.invitationMailed : t.invitationHint)(
        dateTime(invitation.expires_at),
      )}
    >
      <div className="rounded-lg border bg-surface p-4">
        <CopyText text={invitation.invitation_url} label={t.invitation} />
      </div>
      <DialogFooter>
        <Button look="primary" onClick={onClose}>
          {invitation.mailed ? common.close : t.done}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
