import type { MediaStore } from './media-store.ts';
import type { WireContent } from './protocol.ts';

interface StoredMedia {
  mimeType: string;
  media: string;
  size: number;
}

/** Content in the journal, where `media` names a file of the media store. */
export type StoredContent =
  | { kind: 'text'; text: string; details?: object }
  | ({ kind: 'image'; caption: string } & StoredMedia)
  | ({ kind: 'voice'; seconds: number; waveform: string } & StoredMedia)
  | ({ kind: 'document'; fileName: string; caption: string } & StoredMedia);

/** Stores the media durably. Returns the content for the journal. */
export async function storeContent(content: WireContent, mediaStore: MediaStore): Promise<StoredContent> {
  if (content.kind === 'text') return content;
  const { base64, ...rest } = content;
  const bytes = Buffer.from(base64, 'base64');
  return { ...rest, media: await mediaStore.put(bytes), size: bytes.length };
}

export async function loadContent(content: StoredContent, mediaStore: MediaStore): Promise<WireContent> {
  if (content.kind === 'text') return content;
  const { media, size: _, ...rest } = content;
  return { ...rest, base64: (await mediaStore.get(media)).toString('base64') };
}
