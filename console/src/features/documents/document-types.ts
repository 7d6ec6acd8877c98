export const documentTypes = ['pdf', 'docx', 'doc', 'txt'] as const;
export type DocumentType = (typeof documentTypes)[number];
