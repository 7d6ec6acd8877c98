import type { DocumentType } from './document-type.ts';

const mediaTypes: Record<DocumentType, string> = {
  pdf: 'application/pdf',
  txt: 'text/plain',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  doc: 'application/msword',
};

export const documentMediaTypes = Object.values(mediaTypes);

/** Returns headers that make a browser save a document instead of showing it. */
export function attachmentHeaders({ name, type }: { name: string; type: DocumentType }) {
  return {
    'content-type': mediaTypes[type],
    'content-disposition': contentDisposition(name),
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
  };
}

/** RFC 6266: an ASCII name for old clients and the exact name (RFC 5987) for others. */
function contentDisposition(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]/g, '_').replaceAll(/["\\%]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
