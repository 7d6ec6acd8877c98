import type { AuditEntry } from '@parley/sdk';
import { Facts } from '../../components/facts.tsx';
import { TeamName } from '../../components/team-name.tsx';
import { Dialog } from '../../components/ui/dialog.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { auditLogMessages } from './audit-log.messages.ts';
import { useAuthorOf } from './entry-author.ts';
import { useOperationText } from './operation-text.ts';

export function AuditEntryDialog({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const t = useMessages(auditLogMessages);
  const common = useMessages(commonMessages);
  const { dateTime } = useFormats();
  const authorOf = useAuthorOf();
  const operationText = useOperationText();
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={operationText(entry.operation)}
      description={dateTime(entry.at)}
      wide
    >
      <Facts
        facts={[
          [t.operation, <code key="operation">{entry.operation}</code>],
          [t.object, `${entry.object_type} ${entry.object_id ?? ''}`],
          ...(entry.team_id === null
            ? []
            : [[common.team, <TeamName key="team" id={entry.team_id} />] as const]),
          [t.author, entry.key_id === null ? authorOf(entry) : `${authorOf(entry)} (${entry.key_id})`],
          [t.address, entry.address ?? common.none],
          [t.requestId, entry.request_id ?? common.none],
        ]}
      />
      <div className="mt-5 grid gap-4 sm:grid-cols-2">
        <Values label={t.before} values={entry.before} />
        <Values label={t.after} values={entry.after} />
      </div>
    </Dialog>
  );
}

function Values({ label, values }: { label: string; values: AuditEntry['before'] }) {
  const common = useMessages(commonMessages);
  return (
    <section aria-label={label} className="min-w-0">
      <h3 className="mb-1.5 font-medium">{label}</h3>
      {values === null ? (
        <p className="text-muted">{common.none}</p>
      ) : (
        <pre className="rounded-lg border bg-surface p-3 font-mono text-xs whitespace-pre-wrap wrap-anywhere">
          {JSON.stringify(values, null, 2)}
        </pre>
      )}
    </section>
  );
}
