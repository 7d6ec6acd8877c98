import { isUuid } from '../../platform/shared/ids.ts';

const staging = 'staged';
const media = 'media';

export const stagedKey = (teamId: string, documentId: string): string => `${staging}/${teamId}/${documentId}`;

export const finalKey = (teamId: string, ref: string, type: string): string => `${teamId}/${ref}.${type}`;

/** A large file of a message. */
export const mediaKey = (teamId: string, id: string): string => `${teamId}/${media}/${id}`;

export interface StoredFile {
  key: string;
  teamId: string;
  /** Null in a final key. */
  documentId: string | null;
}

/** Returns null for keys that are neither of documents nor of media. */
export function parseFileKey(key: string): StoredFile | null {
  const parts = key.split('/');
  const isStaged = parts[0] === staging;
  const [teamId = '', name = '', ...deeper] = isStaged ? parts.slice(1) : parts;
  if (!isUuid(teamId)) return null;
  if (!isStaged && name === media && deeper.length === 1) return { key, teamId, documentId: null };
  if (deeper.length > 0) return null;
  if (!isStaged) return { key, teamId, documentId: null };
  return isUuid(name) ? { key, teamId, documentId: name } : null;
}
