import { useQueryClient } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, UploadCloud, X } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import { useMay } from '../../app/use-may.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Spinner } from '../../components/ui/spinner.tsx';
import { toastError, toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { cn } from '../../lib/class-names.ts';
import { documentTypes } from './document-types.ts';
import { documentsMessages } from './documents.messages.ts';
import { replaceDocument } from './replace-document.ts';
import { type Upload, useUploads } from './use-uploads.ts';

/** Takes files by drag and drop or by choice and shows how their uploads go. */
export function UploadArea({
  teamId,
  onUploaded,
}: {
  teamId: string;
  /** Gets the id of each new document. */
  onUploaded?: (id: string) => void;
}) {
  const t = useMessages(documentsMessages);
  const { uploads, add, dismiss } = useUploads(onUploaded);
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    add(teamId, [...event.dataTransfer.files]);
  };
  return (
    <div className="grid gap-3">
      <button
        type="button"
        onClick={() => input.current?.click()}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        className={cn(
          'grid justify-items-center gap-1 rounded-xl border border-control border-dashed px-4 py-7 text-center transition-colors hover:bg-surface',
          over && 'border-accent-text bg-accent-text/8',
        )}
      >
        <UploadCloud aria-hidden className="mb-1 size-5 text-muted" />
        <span className="font-medium">{t.drop}</span>
        <span className="text-muted text-[0.8125rem]">{t.dropHint}</span>
      </button>
      <input
        ref={input}
        type="file"
        multiple
        accept={documentTypes.map((type) => `.${type}`).join(',')}
        aria-label={t.upload}
        className="hidden"
        onChange={(event) => {
          add(teamId, [...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      {uploads.length > 0 && (
        <ul aria-live="polite" className="grid gap-px overflow-hidden rounded-xl border bg-border">
          {uploads.map((upload) => (
            <UploadRow key={upload.id} upload={upload} onDismiss={() => dismiss(upload.id)} />
          ))}
        </ul>
      )}
    </div>
  );
}

function UploadRow({ upload, onDismiss }: { upload: Upload; onDismiss: () => void }) {
  const t = useMessages(documentsMessages);
  const common = useMessages(commonMessages);
  const isOver = upload.state === 'done' || upload.state === 'failed';
  return (
    <li className="relative flex items-center gap-3 bg-card px-4 py-2.5">
      <UploadIcon state={upload.state} />
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">{upload.name}</p>
        <p
          className={cn(
            'text-[0.8125rem] wrap-anywhere',
            upload.state === 'failed' ? 'text-danger' : 'text-muted',
          )}
        >
          <UploadState upload={upload} />
        </p>
      </div>
      {upload.documentId !== undefined && upload.older !== undefined && (
        <ReplaceButton newId={upload.documentId} older={upload.older} onDone={onDismiss} />
      )}
      {isOver && (
        <Button
          look="ghost"
          size="iconSmall"
          aria-label={`${common.close}: ${upload.name}`}
          onClick={onDismiss}
        >
          <X aria-hidden className="size-4" />
        </Button>
      )}
      {upload.state === 'running' && (
        <progress
          aria-label={t.upload}
          value={upload.sent}
          className="absolute inset-x-0 bottom-0 h-0.5 w-full"
        />
      )}
    </li>
  );
}

function ReplaceButton({
  newId,
  older,
  onDone,
}: {
  newId: string;
  older: { id: string; name: string };
  onDone: () => void;
}) {
  const t = useMessages(documentsMessages);
  const queries = useQueryClient();
  const may = useMay();
  const [asked, setAsked] = useState(false);
  if (!(may('deleteDocument') && may('updateBot') && may('publishBot'))) return null;
  const replace = async () => {
    const left = await replaceDocument(older.id, newId);
    await queries.invalidateQueries();
    if (left === 0) toastSuccess(t.replaced(older.name));
    else toastError(new Error(t.notReplaced(older.name, left)));
    onDone();
  };
  return (
    <>
      <Button size="small" onClick={() => setAsked(true)}>
        {t.replace}
      </Button>
      <ConfirmDialog
        open={asked}
        onOpenChange={setAsked}
        title={t.replaceTitle(older.name)}
        consequences={Object.values(t.replaceEffects)}
        action={t.replace}
        onConfirm={replace}
      />
    </>
  );
}

function UploadIcon({ state }: { state: Upload['state'] }) {
  if (state === 'done') return <CircleCheck aria-hidden className="size-4 shrink-0 text-success" />;
  if (state === 'failed') return <CircleAlert aria-hidden className="size-4 shrink-0 text-danger" />;
  return <Spinner className={state === 'queued' ? 'shrink-0 opacity-40' : 'shrink-0'} />;
}

function UploadState({ upload }: { upload: Upload }) {
  const t = useMessages(documentsMessages);
  const { percent } = useFormats();
  if (upload.state === 'failed') return upload.error instanceof Error ? upload.error.message : t.failed;
  if (upload.state === 'done') return upload.older === undefined ? t.done : t.alike(upload.older.name);
  if (upload.state === 'queued') return t.queued;
  return upload.sent < 1 ? t.uploading(percent(upload.sent)) : t.reading;
}
