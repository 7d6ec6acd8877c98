import { created, type Examples, ids } from './example.ts';

const document = {
  id: ids.document,
  team_id: ids.team,
  name: 'price-list.pdf',
  type: 'pdf',
  size: 48_213,
  ai_provider_id: 'file-8Wc2Nf6LxR',
  file_url: `${ids.team}/file-8Wc2Nf6LxR.pdf`,
  chars: 10_482,
  provider_status: 'ready',
  ...created,
};

export const documentExamples: Examples = {
  uploadDocument: { data: { ...document, provider_status: 'processing' } },
  listDocuments: { data: [document] },
  getDocument: { data: document },
  getDocumentContent: {},
  renameDocument: {
    body: { name: 'price-list-2027.pdf' },
    data: { ...document, name: 'price-list-2027.pdf' },
    meta: { changes: ['name'] },
  },
  deleteDocument: { data: { message: 'Document deleted' } },
};
