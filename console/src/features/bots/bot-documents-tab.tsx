import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FileText } from 'lucide-react';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { buttonClass } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { DocumentStatus } from '../documents/document-status.tsx';
import { teamDocumentsQuery } from '../documents/documents.queries.ts';
import { botMessages } from './bot.messages.ts';
import type { DraftProps } from './bot-editor.tsx';

export function BotDocumentsTab({ draft, change, teamId }: DraftProps & { teamId: string }) {
  const t = useMessages(botMessages);
  const { bytes } = useFormats();
  const query = useQuery(teamDocumentsQuery(teamId));
  const upload = (
    <Link to="/documents" search={{ team: teamId }} className={buttonClass()}>
      {t.uploadDocuments}
    </Link>
  );
  const toggle = (id: string, chosen: boolean) =>
    change({
      document_ids: chosen ? [...draft.document_ids, id] : draft.document_ids.filter((other) => other !== id),
    });
  return (
    <Loaded query={query}>
      {({ data }) =>
        data.length === 0 ? (
          <Card>
            <EmptyState icon={FileText} title={t.noDocuments} action={upload}>
              {t.noDocumentsHint}
            </EmptyState>
          </Card>
        ) : (
          <div className="grid gap-4">
            <div className="flex flex-wrap items-center justify-between gap-3">
              <p className="text-muted">{t.documentsHint}</p>
              {upload}
            </div>
            <ul className="overflow-hidden rounded-xl border bg-card">
              {data.map((document) => (
                <li key={document.id} className="border-b last:border-b-0">
                  <label className="flex cursor-pointer items-center gap-3 px-4 py-3 hover:bg-surface">
                    <input
                      type="checkbox"
                      className="size-4 accent-accent"
                      checked={draft.document_ids.includes(document.id)}
                      onChange={(event) => toggle(document.id, event.target.checked)}
                    />
                    <span className="min-w-0 flex-1 truncate font-medium">{document.name}</span>
                    <span className="text-muted whitespace-nowrap max-sm:hidden">{bytes(document.size)}</span>
                    <DocumentStatus document={document} />
                  </label>
                </li>
              ))}
            </ul>
          </div>
        )
      }
    </Loaded>
  );
}
