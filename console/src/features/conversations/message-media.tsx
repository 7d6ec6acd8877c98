import type { MessageRecord } from '@parley/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Download, FileText, Image, Mic } from 'lucide-react';
import { useEffect, useState } from 'react';
import { api } from '../../api/client.ts';
import { Button } from '../../components/ui/button.tsx';
import { toastError } from '../../components/ui/toast.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { saveFile } from '../../lib/save-file.ts';
import { conversationsMessages } from './conversations.messages.ts';

const icons = { image: Image, voice: Mic, document: FileText };
/** Types that browsers show as pictures. Other files are downloaded. */
const shownImages = /^image\/(?:jpeg|png|webp|gif)$/;

/** The file of a message: an image is shown, a voice note is played, a document is downloaded. */
export function MessageMedia({ message }: { message: MessageRecord }) {
  const { id, kind, mime_type: type = '' } = message;
  // Files of the bot and of the API have no type.
  if (kind === 'text' || type === '') return <MediaLabel message={message} />;
  if (kind === 'image' && shownImages.test(type)) return <LoadedMedia message={message} />;
  if (kind === 'voice') return <LoadedMedia message={message} />;
  return <MediaDownload id={id} message={message} />;
}

function MediaLabel({ message: { kind } }: { message: MessageRecord }) {
  const t = useMessages(conversationsMessages);
  if (kind === 'text') return null;
  const Icon = icons[kind];
  return (
    <p className="flex items-center gap-2 font-medium">
      <Icon aria-hidden className="size-4" />
      {t.kinds[kind]}
    </p>
  );
}

function LoadedMedia({ message }: { message: MessageRecord }) {
  const t = useMessages(conversationsMessages);
  const { id, kind } = message;
  const { data: blob, isError } = useQuery({
    queryKey: ['messages', 'media', id],
    queryFn: async ({ signal }) => (await api.getMessageMedia({ id }, { signal })).blob(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const url = useObjectUrl(blob);
  if (isError) return <MediaDownload id={id} message={message} />;
  if (url === null)
    return kind === 'image' ? (
      <div aria-hidden className="mb-1 h-40 w-56 max-w-full animate-pulse rounded-lg bg-hover" />
    ) : (
      <MediaLabel message={message} />
    );
  return kind === 'image' ? (
    <img src={url} alt={t.kinds.image} className="my-1 max-h-72 max-w-full rounded-lg" />
  ) : (
    // biome-ignore lint/a11y/useMediaCaption: a voice note has no captions
    <audio controls src={url} aria-label={t.kinds.voice} className="my-1 w-64 max-w-full" />
  );
}

function useObjectUrl(blob: Blob | undefined): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (blob === undefined) return;
    const created = URL.createObjectURL(blob);
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [blob]);
  return url;
}

function MediaDownload({ id, message }: { id: string; message: MessageRecord }) {
  const t = useMessages(conversationsMessages);
  const download = useMutation({
    mutationFn: async () => saveFile(await (await api.getMessageMedia({ id })).blob(), fileName(message)),
    onError: toastError,
  });
  return (
    <div className="flex flex-wrap items-center gap-3">
      <MediaLabel message={message} />
      <Button
        size="small"
        className="text-foreground"
        busy={download.isPending}
        onClick={() => download.mutate()}
      >
        <Download aria-hidden className="size-3.5" />
        {t.download}
      </Button>
    </div>
  );
}

const endings: Readonly<Record<string, string>> = {
  'application/pdf': '.pdf',
  'application/msword': '.doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': '.docx',
  'text/plain': '.txt',
};

const fileName = ({ kind, created_at, mime_type: type = '' }: MessageRecord): string =>
  `${kind}-${created_at.slice(0, 19).replaceAll(':', '-')}${endings[type] ?? ''}`;
