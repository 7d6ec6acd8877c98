import { useSyncExternalStore } from 'react';
import { actorOf, getSession } from '../../api/session.ts';
import { createUploader } from '../../api/upload.ts';
import { newId } from '../../lib/new-id.ts';

/** As the service limits them. */
export const maxFileBytes = 16 * 1024 * 1024;
export const maxCaption = 1024;
const mostFiles = 10;

export interface Attachment {
  id: string;
  file: File;
  isVoice: boolean;
  /** From 0 to 1 while it is sent, else null. */
  sent: number | null;
  error: unknown;
  /** The caption of the last attempt and its key, so that a repetition sends the file once. */
  attempt: { text: string; key: string } | null;
}

/** Files that are not sent yet, while the page lives. Another person does not get them. */
const byConversation = new Map<string, readonly Attachment[]>();
const listeners = new Set<() => void>();
const none: readonly Attachment[] = [];

const keyOf = (conversationId: string): string => `${actorOf(getSession())}:${conversationId}`;
const read = (conversationId: string): readonly Attachment[] =>
  byConversation.get(keyOf(conversationId)) ?? none;

function write(conversationId: string, attachments: readonly Attachment[]): void {
  byConversation.set(keyOf(conversationId), attachments);
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useAttachments = (conversationId: string): readonly Attachment[] =>
  useSyncExternalStore(subscribe, () => read(conversationId));

/** Returns how many files were left out because there are too many. */
export function addFiles(
  conversationId: string,
  files: readonly File[],
  { isVoice = false }: { isVoice?: boolean } = {},
): number {
  const present = read(conversationId);
  const added = files.slice(0, Math.max(0, mostFiles - present.length));
  const created = added.map((file) => ({
    id: newId(),
    file,
    isVoice,
    sent: null,
    error: null,
    attempt: null,
  }));
  write(conversationId, [...present, ...created]);
  return files.length - added.length;
}

export const removeFile = (conversationId: string, id: string): void =>
  write(
    conversationId,
    read(conversationId).filter((attachment) => attachment.id !== id),
  );

/** Sends one file and removes it. Rejects if it could not be sent; the file then stays, with the error. */
export async function sendFile(conversationId: string, { id, file, attempt }: Attachment, text: string) {
  const change = (changes: Partial<Attachment>) =>
    write(
      conversationId,
      read(conversationId).map((attachment) =>
        attachment.id === id ? { ...attachment, ...changes } : attachment,
      ),
    );
  const key = attempt?.text === text ? attempt.key : newId();
  change({ sent: 0, error: null, attempt: { text, key } });
  try {
    const uploader = createUploader((sent) => change({ sent }));
    await uploader.sendFileToConversation(
      { id: conversationId, file, ...(text === '' ? {} : { text }) },
      { idempotencyKey: key },
    );
    removeFile(conversationId, id);
  } catch (error) {
    change({ sent: null, error });
    throw error;
  }
}
