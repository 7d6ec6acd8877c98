import { isUuid } from '../shared/ids.ts';

/** Where files lie that are uploaded; each team has a folder in it. */
const staging = 'staged';

/** Of the file of an upload under way. */
export const stagedKey = (teamId: string, documentId: string): string => `${staging}/${teamId}/${documentId}`;

/** Of a document's file once the provider has named the document. */
export const finalKey = (teamId: string, ref: string, type: string): string => `${teamId}/${ref}.${type}`;

/** What a key of the file store says about itself. */
export interface StoredFile {
  key: string;
  teamId: string;
  /** Of a staged file; a final key does not tell it. */
  documentId: string | null;
}

/** Null for keys that documents do not have: they are somebody else's. */
export function storedFileOf(key: string): StoredFile | null {
  const parts = key.split('/');
  const isStaged = parts[0] === staging;
  const [teamId = '', name = '', ...deeper] = isStaged ? parts.slice(1) : parts;
  if (!isUuid(teamId) || deeper.length > 0) return null;
  if (!isStaged) return { key, teamId, documentId: null };
  return isUuid(name) ? { key, teamId, documentId: name } : null;
}
