import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import { requireActor } from '../../platform/http/actor.ts';
import {
  type ApiError,
  invalidInput,
  notFound,
  quotaExceeded,
  unknownTeam,
} from '../../platform/http/errors.ts';
import type { Idempotency } from '../../platform/http/idempotency/idempotency.ts';
import { success } from '../../platform/http/operation.ts';
import { enqueueJob } from '../../platform/jobs/enqueue.ts';
import { withDeadline } from '../../platform/shared/deadline.ts';
import { faultPoint } from '../../platform/shared/fault-points.ts';
import { newId } from '../../platform/shared/ids.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import type { ExternalObject } from '../../records/external-deletions/external-deletions.sql.ts';
import { scheduleDeletion } from '../../records/external-deletions/external-deletions.ts';
import { teamExists } from '../../tenancy/teams/teams.sql.ts';
import {
  refundDocument,
  selectDocumentQuotas,
  tryChargeDocument,
} from '../../tenancy/usage/document-quota.sql.ts';
import type { AssistantProvider } from '../assistant-provider/assistant-provider.ts';
import { parseDocumentName } from './document-name.ts';
import { detectDocumentType } from './document-type.ts';
import {
  documentRefused,
  providerUnavailable,
  storageUnavailable,
  textRefused,
  uploadInterrupted,
} from './documents.errors.ts';
import { selectDocument, selectDocumentsByRef } from './documents.queries.ts';
import type { UploadedDocument } from './documents.schemas.ts';
import { presentDocument } from './documents.ts';
import { type DocumentText, ExtractionError } from './extraction/extraction.ts';
import type { Extractor } from './extraction/extractor.ts';
import { finalKey, stagedKey } from './file-keys.ts';
import { readinessJob } from './readiness.ts';
import {
  deleteUploading,
  insertUploading,
  isLive,
  makeLive,
  type StoredLocation,
  type UploadingDocument,
  writeStoredLocation,
} from './upload.queries.ts';
import type { UploadParts } from './upload-parts.ts';

export interface UploadDependencies {
  db: Database;
  idempotency: Idempotency;
  fileStore: Pick<FileStore, 'put' | 'move'>;
  provider: Pick<
    AssistantProvider,
    'putDocument' | 'documentStatus' | 'findSimilarDocuments' | 'documentsIn'
  >;
  extractor: Pick<Extractor, 'extract'>;
  providerDeadlineMs: number;
  /** From the request to its response, without the time in which the body arrives. */
  uploadDeadlineMs?: number;
}

/**
 * Shares of the deadline: the reader may take half of it, and the provider gets a sixth even after a slow reader. The
 * remaining third bounds the wait for a free reader.
 */
const providerShare = 1 / 6;
const readingShare = 1 / 2;

type TimeLeft = () => number;

interface Upload extends UploadingDocument {
  bytes: Uint8Array;
  text: DocumentText;
  /** Null until the provider has stored the document. */
  location: StoredLocation | null;
}

interface Stored {
  status: 'processing' | 'ready' | 'failed';
  /** Refs of documents that are nearly the same. */
  similarRefs: readonly string[];
}

interface DocumentResponse {
  success: true;
  data: Static<typeof UploadedDocument>;
}

/** Undoes a failed upload. `waitedMs` is the time since the request, without the time for the body. */
export async function uploadDocument(
  dependencies: UploadDependencies,
  call: { request: FastifyRequest; reply: FastifyReply },
  parts: UploadParts,
  waitedMs = 0,
): Promise<DocumentResponse> {
  const { scope } = requireActor(call.request);
  const { extractor, uploadDeadlineMs = 24_000 } = dependencies;
  const endsAt = performance.now() + uploadDeadlineMs - waitedMs;
  const timeLeft = () => Math.max(0, endsAt - performance.now());
  const deadlineMs = Math.max(0, timeLeft() - uploadDeadlineMs * providerShare);
  const maxWaitMs = Math.max(0, deadlineMs - uploadDeadlineMs * readingShare);
  const upload = await readDocument(extractor, parts, { deadlineMs, maxWaitMs });
  return dependencies.idempotency.inSteps<Upload, Stored, DocumentResponse>(
    call,
    {
      begin: (tx) => beginUpload(tx, scope, upload),
      act: (intent) => storeExternally(dependencies, intent, timeLeft),
      complete: completeUpload,
      abandon: abandonUpload,
    },
    { fingerprint: JSON.stringify([parts.teamId, parts.declaredChars, parts.fileName, parts.sha256]) },
  );
}

async function readDocument(
  extractor: Pick<Extractor, 'extract'>,
  parts: UploadParts,
  timing: { deadlineMs: number; maxWaitMs: number },
): Promise<Upload> {
  const { bytes, declaredChars, teamId } = parts;
  const named = parseDocumentName(parts.fileName);
  if (!named.ok) throw documentRefused(named.reason);
  const typed = await detectDocumentType(bytes, named.name);
  if (!typed.ok) throw documentRefused(typed.reason);
  const text = await extractor.extract({ type: typed.type, bytes }, { teamId, ...timing }).catch((error) => {
    throw error instanceof ExtractionError ? textRefused(error) : error;
  });
  return {
    id: newId(),
    teamId,
    name: named.name,
    type: typed.type,
    size: bytes.length,
    chars: declaredChars ?? text.chars,
    chargedCharacters: Math.max(declaredChars ?? 0, text.chars),
    bytes,
    text,
    location: null,
  };
}

async function beginUpload(tx: Transaction, scope: Scope, upload: Upload): Promise<Upload> {
  if (!(await insertUploading(tx, scope, upload))) {
    throw createUnknownTeamError();
  }
  await chargeDocument(tx, upload.teamId, upload.chargedCharacters);
  return upload;
}

const createUnknownTeamError = () => invalidInput([unknownTeam]);

/** The upload's row is gone. Deleting the team deletes it too. */
const createInterruptionError = async (db: Database | Transaction, teamId: string): Promise<ApiError> =>
  (await teamExists(db, teamId)) ? uploadInterrupted() : createUnknownTeamError();

/** Deleting the team also deletes its staged file. */
const createStorageError = async (db: Database, teamId: string, error: unknown): Promise<ApiError> =>
  (await teamExists(db, teamId)) ? storageUnavailable(error) : createUnknownTeamError();

async function storeExternally(
  dependencies: UploadDependencies,
  upload: Upload,
  timeLeft: TimeLeft,
): Promise<Stored> {
  const { db, fileStore } = dependencies;
  const staged = stagedKey(upload.teamId, upload.id);
  const stored = <Result>(storing: Promise<Result>) =>
    storing.catch(async (error) => {
      throw await createStorageError(db, upload.teamId, error);
    });
  await stored(fileStore.put(staged, upload.bytes));
  faultPoint('upload.after_stage');
  const ref = await sendToProvider(dependencies, upload, timeLeft());
  faultPoint('upload.after_provider');
  const fileKey = finalKey(upload.teamId, ref, upload.type);
  upload.location = { ref, fileKey };
  if (!(await stored(writeStoredLocation(db, upload.id, upload.location))))
    throw await createInterruptionError(db, upload.teamId);
  faultPoint('upload.after_refs');
  await stored(fileStore.move(staged, fileKey));
  faultPoint('upload.after_move');
  const status = await readProviderStatus(dependencies, ref, timeLeft());
  return { status, similarRefs: await findSimilar(dependencies, ref, timeLeft()) };
}

async function sendToProvider(
  { provider, providerDeadlineMs }: UploadDependencies,
  { id, teamId, name, type, bytes, text }: Upload,
  leftMs: number,
): Promise<string> {
  const tag = { teamId, objectId: id, operation: `upload ${id}` };
  const document = { name, type, bytes, sections: text.sections };
  try {
    const { ref } = await withDeadline(Math.min(providerDeadlineMs, leftMs), (signal) =>
      provider.putDocument(tag, document, signal),
    );
    return ref;
  } catch (error) {
    throw provider.documentsIn === 'database' ? storageUnavailable(error) : providerUnavailable(error);
  }
}

/** A job asks again later. */
async function readProviderStatus(
  { provider, providerDeadlineMs }: UploadDependencies,
  ref: string,
  leftMs: number,
): Promise<Stored['status']> {
  try {
    const ms = Math.min(providerDeadlineMs / 5, leftMs);
    return await withDeadline(ms, (signal) => provider.documentStatus(ref, signal));
  } catch {
    return 'processing';
  }
}

/** The upload succeeds without the comparison, too. */
async function findSimilar(
  { provider, providerDeadlineMs }: UploadDependencies,
  ref: string,
  leftMs: number,
): Promise<readonly string[]> {
  try {
    const ms = Math.min(providerDeadlineMs / 5, leftMs);
    return await withDeadline(ms, (signal) => provider.findSimilarDocuments(ref, signal));
  } catch {
    return [];
  }
}

async function completeUpload(
  tx: Transaction,
  { id, teamId }: Upload,
  { status, similarRefs }: Stored,
): Promise<DocumentResponse> {
  const completed = await makeLive(tx, id, status);
  const row = completed ? await selectDocument(tx, { kind: 'all' }, id) : undefined;
  if (row === undefined) throw await createInterruptionError(tx, teamId);
  if (status === 'processing') {
    await enqueueJob(tx, readinessJob.name, {}, { maxAttempts: readinessJob.maxAttempts });
  }
  const similar = await selectDocumentsByRef(tx, teamId, similarRefs);
  const data = presentDocument(row);
  return success(similar.length === 0 ? data : { ...data, similar_documents: similar });
}

/** Deletes the row, refunds it and schedules external cleanup. Returns false if the upload was committed after all. */
export async function abandonUpload(
  tx: Transaction,
  upload: { id: string; teamId: string; location: StoredLocation | null },
): Promise<boolean> {
  const { id, teamId } = upload;
  const removed = await deleteUploading(tx, id);
  if (removed === undefined && (await isLive(tx, id))) return false;
  const ref = removed?.ref ?? upload.location?.ref;
  const fileKey = removed?.fileKey ?? upload.location?.fileKey;
  await scheduleDeletion(tx, [
    { teamId, kind: 'file', ref: stagedKey(teamId, id) },
    ref === undefined ? { teamId, kind: 'tagged', ref: id } : { teamId, kind: 'document', ref },
    ...(fileKey === undefined ? [] : [{ teamId, kind: 'file', ref: fileKey } satisfies ExternalObject]),
  ]);
  if (removed !== undefined) await refundDocument(tx, teamId, removed.chargedCharacters);
  return true;
}

/** Call it last: it locks the team's counters until the commit. Throws `quota_exceeded`, documents first. */
async function chargeDocument(tx: Transaction, teamId: string, characters: number): Promise<void> {
  while (!(await tryChargeDocument(tx, teamId, characters))) {
    const quotas = await selectDocumentQuotas(tx, teamId);
    if (quotas === undefined) throw notFound('team');
    const { documents, characters: text } = quotas;
    if (documents.used >= documents.limit) throw quotaExceeded('documents', { ...documents, needed: 1 });
    if (characters > 0 && text.used + characters > text.limit)
      throw quotaExceeded('characters', { ...text, needed: characters });
    // A deletion made room between the two statements. Try again.
  }
}
