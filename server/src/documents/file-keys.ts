import { isUuid } from '../shared/ids.ts';

const staging = 'staged';

export const stagedKey = (teamId: string, documentId: string): string => `${staging}/${teamId}/${documentId}`;

export const finalKey = (teamId: string, ref: string, type: string): string => `${teamId}/${ref}.${type}`;

export interface StoredFile {
  key: string;
  teamId: string;
  /** Null in a final key. */
  documentId: string | null;
}

/** Returns null for keys that are not of documents. */
export function parseFileKey(key: string): StoredFile | null {
  const parts = key.split('/');
  const isStaged = parts[0] === staging;
  const [teamId = '', name = '', ...deeper] = isStaged ? parts.slice(1) : parts;
  if (!isUuid(teamId) || deeper.length > 0) return null;
  if (!isStaged) return { key, teamId, documentId: null };
  return isUuid(name) ? { key, teamId, documentId: name } : null;
}
