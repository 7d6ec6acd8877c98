import { actorOf, getSession } from '../api/session.ts';

/** What somebody typed and has not saved yet. */
interface Draft<Content> {
  /** When it was typed. */
  at: string;
  content: Content;
}

const prefix = 'console-draft:';

/** Every person and key has its own drafts. */
const keyOf = (object: string): string => `${prefix}${actorOf(getSession())}:${object}`;

/** `object` names the edited object, for example `bot:` and an id. */
export function readDraft<Content>(object: string): Draft<Content> | null {
  try {
    return JSON.parse(localStorage.getItem(keyOf(object)) ?? 'null');
  } catch {
    return null;
  }
}

/** An equal draft keeps its time. */
export function writeDraft(object: string, content: unknown): void {
  const before = readDraft(object)?.content;
  if (getSession() === null || JSON.stringify(before) === JSON.stringify(content)) return;
  try {
    localStorage.setItem(keyOf(object), JSON.stringify({ at: new Date().toISOString(), content }));
  } catch {
    // The storage is full or switched off. An older draft would bring back old text.
    dropDraft(object);
  }
}

export const dropDraft = (object: string): void => localStorage.removeItem(keyOf(object));

/** The drafts of one person stay on the device until another one signs in. */
export function dropDraftsOfOthers(): void {
  const own = keyOf('');
  for (const key of Object.keys(localStorage))
    if (key.startsWith(prefix) && !key.startsWith(own)) localStorage.removeItem(key);
}
