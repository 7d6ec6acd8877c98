export const documentTypes = ['pdf', 'docx', 'doc', 'txt', 'md', 'html', 'csv', 'xlsx', 'pptx'] as const;
export type DocumentType = (typeof documentTypes)[number];
