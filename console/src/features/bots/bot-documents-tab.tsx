import type { Document } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { FileText } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../app/use-may.ts';
import { NoMatch, Pager } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { Card } from '../../components/ui/card.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { cn } from '../../lib/class-names.ts';
import { DocumentStatus } from '../documents/document-status.tsx';
import { documentsMessages } from '../documents/documents.messages.ts';
import { documentsQuery } from '../documents/documents.queries.ts';
import { UploadArea } from '../documents/upload-area.tsx';
import { botMessages } from './bot.messages.ts';
import type { DraftProps } from './bot-draft.ts';

/** The API accepts no more. */
const maxDocuments = 100;

export function BotDocumentsTab({ draft, change, teamId }: DraftProps & { teamId: string }) {
  const t = useMessages(botMessages);
  const documents = useMessages(documentsMessages);
  const { bytes, number } = useFormats();
  const [{ name, page }, setList] = useState<{ name?: string | undefined; page: number }>({ page: 1 });
  const query = useQuery(documentsQuery({ team_id: teamId, name, page }));
  const isFull = draft.document_ids.length >= maxDocuments;
  const toggle = (id: string, chosen: boolean) =>
    change({
      document_ids: chosen ? [...draft.document_ids, id] : draft.document_ids.filter((other) => other !== id),
    });
  const mayUpload = useMay()('uploadDocument');
  const list = (
    <Loaded query={query}>
      {({ data, meta }) =>
        meta.total === 0 && name === undefined ? (
          <Card>
            <EmptyState icon={FileText} title={t.noDocuments}>
              {t.noDocumentsHint}
            </EmptyState>
          </Card>
        ) : (
          <div className="grid gap-4">
            <p className="text-muted">{isFull ? t.documentsFull(number(maxDocuments)) : t.documentsHint}</p>
            <SearchInput
              label={documents.search}
              value={name}
              onChange={(searched) => setList({ name: searched, page: 1 })}
            />
            <div className="overflow-hidden rounded-xl border bg-card">
              {data.length === 0 && <NoMatch onClear={() => setList({ page: 1 })} />}
              <ul className={cn(query.isPlaceholderData && 'opacity-60')}>
                {data.map((document) => (
                  <DocumentChoice
                    key={document.id}
                    document={document}
                    size={bytes(document.size)}
                    isChosen={draft.document_ids.includes(document.id)}
                    isFull={isFull}
                    onToggle={(chosen) => toggle(document.id, chosen)}
                  />
                ))}
              </ul>
            </div>
            <Pager
              page={page}
              totalPages={meta.totalPages}
              onPage={(shown) => setList({ name, page: shown })}
            />
          </div>
        )
      }
    </Loaded>
  );
  return (
    <div className="grid gap-4">
      {mayUpload && !isFull && <UploadArea teamId={teamId} onUploaded={(id) => toggle(id, true)} />}
      {list}
    </div>
  );
}

function DocumentChoice({
  document,
  size,
  isChosen,
  isFull,
  onToggle,
}: {
  document: Document;
  size: string;
  isChosen: boolean;
  isFull: boolean;
  onToggle: (chosen: boolean) => void;
}) {
  return (
    <li className="border-b last:border-b-0">
      <label className="flex cursor-pointer items-center gap-3 px-4 py-3 hover:bg-surface">
        <input
          type="checkbox"
          className="size-4 shrink-0 accent-accent"
          checked={isChosen}
          disabled={isFull && !isChosen}
          onChange={(event) => onToggle(event.target.checked)}
        />
        <span className="min-w-0 flex-1 truncate font-medium">{document.name}</span>
        <span className="text-muted whitespace-nowrap max-sm:hidden">{size}</span>
        <DocumentStatus document={document} />
      </label>
    </li>
  );
}
