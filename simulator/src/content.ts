import type { MediaStore } from './media-store.ts';
import type { WireContent } from './protocol.ts';

interface StoredMedia {
  mimeType: string;
  /** Its name in the media store. */
  media: string;
  /** Size in bytes. */
  size: number;
}

/** A message's content as the journal keeps it: media by name. */
export type StoredContent =
  | { kind: 'text'; text: string }
  | ({ kind: 'image'; caption: string } & StoredMedia)
  | ({ kind: 'voice'; seconds: number; waveform: string } & StoredMedia)
  | ({ kind: 'document'; fileName: string; caption: string } & StoredMedia);

/** Puts the media away, durably, and answers with what goes into the journal. */
export async function storeContent(content: WireContent, mediaStore: MediaStore): Promise<StoredContent> {
  if (content.kind === 'text') return content;
  const { base64, ...rest } = content;
  const bytes = Buffer.from(base64, 'base64');
  return { ...rest, media: await mediaStore.put(bytes), size: bytes.length };
}

/** The reverse of `storeContent`. */
export async function loadContent(content: StoredContent, mediaStore: MediaStore): Promise<WireContent> {
  if (content.kind === 'text') return content;
  const { media, size: _, ...rest } = content;
  return { ...rest, base64: (await mediaStore.get(media)).toString('base64') };
}
