import type { OwnerTag } from '../assistant-provider.ts';

/** The tag of an object at OpenAI. It tells the objects of several installations with one key apart. */
export interface HostedTag extends OwnerTag {
  installationId: string;
  contentHash: string;
}

const longestTitle = 80;

/** Files have no metadata at OpenAI, so their names carry the tag. The model sees the title. */
export function createFileName(documentName: string, tag: HostedTag): string {
  const name = isSentAsText(documentName) ? `${documentName}.txt` : documentName;
  const extension = name.slice(name.lastIndexOf('.') + 1);
  const title = [...name.slice(0, -extension.length - 1)].slice(0, longestTitle).join('');
  const { installationId, teamId, objectId, operation, contentHash } = tag;
  const values = [installationId, teamId, objectId, operation, contentHash].map(encodeURIComponent);
  return `${title.replaceAll(/[[\]]/g, ' ')} [parley ${values.join(' ')}].${extension}`;
}

export function readFileName(name: string): HostedTag | null {
  const [, values] = / \[parley ([^\]]+)\]\.\w+$/.exec(name) ?? [];
  return values === undefined ? null : toTag(values.split(' ').map(decode));
}

/** Returns the name that the document had, without its tag. */
export const readTitle = (name: string): string => {
  const title = name.replace(/ \[parley [^\]]+\](?=\.\w+$)/, '');
  const withoutText = title.replace(/\.txt$/, '');
  return isSentAsText(withoutText) ? withoutText : title;
};

/** Whether a document is stored as its extracted text. */
export const isSentAsText = (documentName: string): boolean => /\.(?:csv|xlsx)$/i.test(documentName);

export const createMetadata = (tag: HostedTag): Record<string, string> => ({
  parley_installation: tag.installationId,
  parley_team: tag.teamId,
  parley_object: tag.objectId,
  parley_operation: tag.operation,
  parley_content: tag.contentHash,
});

export const readMetadata = (metadata: Record<string, string> | null): HostedTag | null =>
  toTag(['installation', 'team', 'object', 'operation', 'content'].map((key) => metadata?.[`parley_${key}`]));

function toTag([installationId, teamId, objectId, operation, contentHash]: (string | undefined)[]) {
  if (installationId === undefined || teamId === undefined || objectId === undefined) return null;
  if (operation === undefined || contentHash === undefined) return null;
  return { installationId, teamId, objectId, operation, contentHash };
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
