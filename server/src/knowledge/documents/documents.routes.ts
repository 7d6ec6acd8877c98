import { Type } from 'typebox';
import type { ReadList } from '../../platform/database/read-list.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { App, Routes } from '../../platform/http/fastify-app.ts';
import { Message, operation, success, successWithMeta } from '../../platform/http/operation.ts';
import { PageMeta, pageMeta } from '../../platform/http/pagination.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import type { DocumentType } from './document-type.ts';
import { selectDocuments } from './documents.queries.ts';
import {
  Document,
  ListDocuments,
  RenameDocument,
  RenameMeta,
  UploadDocument,
  UploadedDocument,
} from './documents.schemas.ts';
import {
  deleteDocument,
  getDocument,
  openDocument,
  presentDocument,
  renameDocument,
  renameIssues,
} from './documents.ts';
import { type UploadDependencies, uploadDocument } from './upload.ts';
import { createUploadLimiter } from './upload-limiter.ts';
import { getAnnouncedBytes } from './upload-pace.ts';
import { acceptMultipart, readUpload, requireMultipart } from './upload-parts.ts';

const base = '/api/openapi/v1/documents';

/** Of this process. `MAX_UPLOAD_BYTES` may raise the bytes. */
const uploadLimits = { maxRunning: 256, maxBytes: 128 * 1024 * 1024, maxWaiting: 64 };

interface DocumentDependencies extends UploadDependencies {
  readList: ReadList;
  fileStore: FileStore;
  maxUploadBytes: number;
}

export const documentRoutes =
  (dependencies: DocumentDependencies): Routes =>
  async (app) => {
    await app.register(async (scope: App) => uploadRoute(scope, dependencies));
    readRoutes(app, dependencies);
    changeRoutes(app, dependencies);
  };

/** Must be registered in a scope of its own, so that no other route accepts multipart bodies. */
async function uploadRoute(app: App, dependencies: DocumentDependencies): Promise<void> {
  const { maxUploadBytes } = dependencies;
  const limitUpload = createUploadLimiter({
    ...uploadLimits,
    maxBytes: Math.max(uploadLimits.maxBytes, maxUploadBytes),
  });
  await acceptMultipart(app, { maxBytes: maxUploadBytes });
  app.post(
    base,
    operation({
      id: 'uploadDocument',
      summary: 'Upload a document',
      description:
        'The type is detected from the content, and the extension of the name must match it. A document can be used by bots once `provider_status` is `ready`.',
      tag: 'Documents',
      access: 'anyKey',
      multipart: UploadDocument,
      data: UploadedDocument,
      idempotent: true,
    }),
    async (request, reply) => {
      requireMultipart(request);
      const startedAt = performance.now();
      const { keyId, scope } = requireActor(request);
      const caller = scope.kind === 'team' ? scope.teamId : keyId;
      return limitUpload(getAnnouncedBytes(request.raw, maxUploadBytes), caller, async () => {
        const waitedMs = performance.now() - startedAt;
        const parts = await readUpload(request, maxUploadBytes);
        return uploadDocument(dependencies, { request, reply }, parts, waitedMs);
      });
    },
  );
}

function readRoutes(app: App, dependencies: DocumentDependencies): void {
  const { db, readList } = dependencies;
  app.get(
    base,
    operation({
      id: 'listDocuments',
      summary: 'List documents, newest first',
      description: 'Filters combine. A page past the end is empty.',
      tag: 'Documents',
      access: 'anyKey',
      query: ListDocuments,
      data: Type.Array(Document),
      meta: PageMeta,
    }),
    async (request) => {
      const { rows, total } = await readList((db) =>
        selectDocuments(db, requireActor(request).scope, request.query),
      );
      return successWithMeta(rows.map(presentDocument), pageMeta(request.query, total, rows));
    },
  );

  app.get(
    `${base}/:id`,
    operation({
      id: 'getDocument',
      summary: 'Get a document',
      description:
        '`file_url` is a path in the file store, not an address. `GET /documents/{id}/content` returns the file.',
      tag: 'Documents',
      access: 'anyKey',
      resource: 'document',
      data: Document,
    }),
    async (request) =>
      success(presentDocument(await getDocument(db, requireActor(request).scope, pathParameter(request)))),
  );

  app.get(
    `${base}/:id/content`,
    operation({
      id: 'getDocumentContent',
      summary: "Get a document's file",
      description: 'The uploaded bytes, as an attachment.',
      tag: 'Documents',
      access: 'anyKey',
      resource: 'document',
      data: Type.String(),
      file: { description: 'The file as it was uploaded.', types: documentMediaTypes },
      extension: true,
    }),
    async (request, reply) => {
      const { document, file } = await openDocument(
        dependencies,
        requireActor(request).scope,
        pathParameter(request),
      );
      return reply.headers({ ...attachmentHeaders(document), 'content-length': file.size }).send(file.stream);
    },
  );
}

function changeRoutes(app: App, { db }: DocumentDependencies): void {
  app.patch(
    `${base}/:id`,
    operation({
      id: 'renameDocument',
      summary: 'Rename a document',
      description:
        'Only the name can change, and it must keep its extension. `meta.changes` is empty if the name was the same.',
      tag: 'Documents',
      access: 'anyKey',
      resource: 'document',
      body: RenameDocument,
      rules: ({ body }) => renameIssues(body.name),
      data: Document,
      meta: RenameMeta,
    }),
    async (request) => {
      const { scope } = requireActor(request);
      const { document, changes } = await db
        .transaction()
        .execute((tx) => renameDocument(tx, scope, pathParameter(request), request.body));
      return successWithMeta(presentDocument(document), { changes });
    },
  );

  app.delete(
    `${base}/:id`,
    operation({
      id: 'deleteDocument',
      summary: 'Delete a document',
      description: 'Removes it from every bot at once, published or not.',
      tag: 'Documents',
      access: 'anyKey',
      resource: 'document',
      data: Message,
    }),
    async (request) => {
      const { scope } = requireActor(request);
      await db.transaction().execute((tx) => deleteDocument(tx, scope, pathParameter(request)));
      return success({ message: 'Document deleted' });
    },
  );
}

const mediaTypes: Record<DocumentType, string> = {
  pdf: 'application/pdf',
  txt: 'text/plain',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  doc: 'application/msword',
  md: 'text/markdown',
  html: 'text/html',
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
};

const documentMediaTypes = Object.values(mediaTypes);

/** Returns headers that make a browser save a document instead of showing it. */
function attachmentHeaders({ name, type }: { name: string; type: DocumentType }) {
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
