import { FileText, Mic, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../../components/ui/button.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { type Attachment, maxFileBytes, removeFile } from './attachments.ts';
import { composerMessages } from './composer.messages.ts';

/** The files that go with the next message: a preview of each, its progress and its error. */
export function AttachmentList({
  conversationId,
  attachments,
}: {
  conversationId: string;
  attachments: readonly Attachment[];
}) {
  const t = useMessages(composerMessages);
  if (attachments.length === 0) return null;
  return (
    <ul aria-label={t.files} className="flex max-h-56 flex-wrap gap-2 overflow-y-auto">
      {attachments.map((attachment) => (
        <AttachmentItem
          key={attachment.id}
          attachment={attachment}
          onRemove={() => removeFile(conversationId, attachment.id)}
        />
      ))}
    </ul>
  );
}

function AttachmentItem({ attachment, onRemove }: { attachment: Attachment; onRemove: () => void }) {
  const t = useMessages(composerMessages);
  const { bytes } = useFormats();
  const { file, isVoice, sent, error } = attachment;
  const name = isVoice ? t.voiceNote : file.name;
  const problem = problemOf(attachment, t);
  return (
    <li className="relative flex max-w-full items-center gap-2.5 overflow-hidden rounded-lg border bg-card py-1.5 pr-1 pl-2.5">
      <Preview attachment={attachment} name={name} />
      <div className="min-w-0">
        <p className="max-w-56 truncate text-[0.8125rem] font-medium">{name}</p>
        {problem === null ? (
          <p className="text-muted text-xs">{bytes(file.size)}</p>
        ) : (
          <p
            role={error === null ? undefined : 'alert'}
            className="max-w-72 text-danger text-xs wrap-anywhere"
          >
            {problem}
          </p>
        )}
      </div>
      <Button
        look="ghost"
        size="iconSmall"
        aria-label={t.remove(name)}
        disabled={sent !== null}
        onClick={onRemove}
      >
        <X aria-hidden className="size-4" />
      </Button>
      {sent !== null && (
        <progress
          aria-label={t.sending(name)}
          value={sent}
          className="absolute inset-x-0 bottom-0 h-0.5 w-full"
        />
      )}
    </li>
  );
}

/** Returns why the file cannot be sent, or could not be, or null. */
function problemOf({ file, error }: Attachment, t: { tooLarge: string; empty: string }): string | null {
  if (file.size > maxFileBytes) return t.tooLarge;
  if (file.size === 0) return t.empty;
  return error instanceof Error ? error.message : null;
}

export const isSendable = ({ file }: Attachment): boolean => file.size > 0 && file.size <= maxFileBytes;

const shownImages = /^image\/(?:jpeg|png|webp|gif)$/;

function Preview({ attachment: { file, isVoice }, name }: { attachment: Attachment; name: string }) {
  const [url, setUrl] = useState<string | null>(null);
  const isImage = shownImages.test(file.type);
  const isShown = isImage || isVoice;
  useEffect(() => {
    if (!isShown) return;
    const created = URL.createObjectURL(file);
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [file, isShown]);
  if (isImage && url !== null) return <img src={url} alt="" className="size-10 rounded object-cover" />;
  if (isVoice && url !== null)
    // biome-ignore lint/a11y/useMediaCaption: a voice note has no captions
    return <audio controls src={url} aria-label={name} className="h-9 w-52 max-w-full" />;
  const Icon = isVoice ? Mic : FileText;
  return <Icon aria-hidden className="size-5 shrink-0 text-muted" />;
}
