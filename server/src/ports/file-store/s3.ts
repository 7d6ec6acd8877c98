import { Readable } from 'node:stream';
import { assertFileKey, assertFileKeyPrefix, isFileKey } from './file-key.ts';
import type { FileSource, FileStore } from './file-store.ts';

/** Larger files, and files of unknown size, are written in parts. At most two parts of a file are in memory. */
const partBytes = 8 * 1024 * 1024;
/** Longer than any upload takes. */
const abandonedAfterMs = 24 * 60 * 60 * 1000;

/** Keeps files in a bucket that belongs to this installation. Loads the client at the first use. */
export function createS3FileStore(settings: S3Settings, { pageSize = 1000 } = {}): FileStore {
  const { bucket: Bucket } = settings;
  let opening: Promise<S3Access> | undefined;
  const access = (): Promise<S3Access> => (opening ??= openS3Client(settings));
  const at = (Key: string) => {
    assertFileKey(Key);
    return { Bucket, Key };
  };
  const download = async (key: string) => {
    const target = at(key);
    const { client, GetObjectCommand } = await access();
    return nullIfMissing(client.send(new GetObjectCommand(target)));
  };
  /** A list also fails if the bucket is missing. A HEAD request does not tell. */
  const exists = async (key: string): Promise<boolean> => {
    const { Key } = at(key);
    const { client, ListObjectsV2Command } = await access();
    const { Contents = [] } = await client.send(
      new ListObjectsV2Command({ Bucket, Prefix: Key, MaxKeys: 1 }),
    );
    return Contents[0]?.Key === Key;
  };
  const remove = async (key: string): Promise<void> => {
    const target = at(key);
    const { client, DeleteObjectCommand } = await access();
    await client.send(new DeleteObjectCommand(target));
  };

  return {
    name: 's3',
    async put(key, source) {
      await upload(await access(), at(key), source);
    },
    async move(from, to) {
      const target = at(to);
      if (!(await exists(from))) {
        if (await exists(to)) return;
        throw new Error(`Cannot move ${from}: there is no such object`);
      }
      const { client, CopyObjectCommand } = await access();
      await client.send(new CopyObjectCommand({ ...target, CopySource: `${Bucket}/${from}` }));
      await remove(from);
    },
    async get(key) {
      const found = await download(key);
      const bytes = await found?.Body?.transformToByteArray();
      return bytes ?? null;
    },
    async open(key) {
      const found = await download(key);
      if (found?.Body === undefined) return null;
      // On Node, the body is the stream of the response.
      return { size: found.ContentLength ?? 0, stream: found.Body as Readable };
    },
    exists,
    delete: remove,
    async *list(prefix) {
      assertFileKeyPrefix(prefix);
      const opened = await access();
      if (prefix === '') await abortAbandonedUploads(opened, Bucket);
      const { client, ListObjectsV2Command } = opened;
      for (let StartAfter: string | undefined, isTruncated = true; isTruncated; ) {
        const range = { Bucket, Prefix: prefix, MaxKeys: pageSize, StartAfter };
        const { Contents = [], IsTruncated = false } = await client.send(new ListObjectsV2Command(range));
        for (const { Key = '' } of Contents) if (isFileKey(Key)) yield Key;
        StartAfter = Contents.at(-1)?.Key;
        isTruncated = IsTruncated && StartAfter !== undefined;
      }
    },
  };
}

async function upload(
  { client, Upload, PutObjectCommand }: S3Access,
  target: { Bucket: string; Key: string },
  source: FileSource,
): Promise<void> {
  if (source instanceof Uint8Array && source.length <= partBytes) {
    await client.send(new PutObjectCommand({ ...target, Body: source }));
    return;
  }
  const Body = source instanceof Uint8Array ? source : Readable.from(source);
  await new Upload({ client, params: { ...target, Body }, partSize: partBytes, queueSize: 2 }).done();
}

/** Deletes the parts of uploads whose process died. Some servers cannot list them. */
async function abortAbandonedUploads(
  { client, ListMultipartUploadsCommand, AbortMultipartUploadCommand }: S3Access,
  Bucket: string,
): Promise<void> {
  const oldest = Date.now() - abandonedAfterMs;
  const listing = client.send(new ListMultipartUploadsCommand({ Bucket }));
  const { Uploads = [] } = await listing.catch(() => ({ Uploads: [] }));
  for (const { Key, UploadId, Initiated } of Uploads) {
    if (Initiated === undefined || Initiated.getTime() > oldest) continue;
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })).catch(() => undefined);
  }
}

async function nullIfMissing<Found>(reading: Promise<Found>): Promise<Found | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchKey') return null;
    throw error;
  }
}

/** A bucket and the access to it. */
interface S3Settings {
  /** Null for AWS. */
  endpoint: string | null;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Whether the bucket is in the path of addresses instead of the host name. */
  forcePathStyle: boolean;
}

/** Each download holds a connection for as long as its reader takes, and must not delay uploads. */
const maxConnections = 500;

/** Loads the client, which takes about 100 ms, only when a bucket is used. */
async function openS3Client(settings: S3Settings) {
  const [s3, { Upload }] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);
  const { endpoint, region, forcePathStyle, accessKeyId, secretAccessKey } = settings;
  const agent = { keepAlive: true, maxSockets: maxConnections };
  const client = new s3.S3Client({
    ...(endpoint === null ? {} : { endpoint }),
    region,
    forcePathStyle,
    credentials: { accessKeyId, secretAccessKey },
    maxAttempts: 3,
    // Many S3-compatible servers do not know the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 5_000,
      requestTimeout: 20_000,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
  return { ...s3, client, Upload };
}

type S3Access = Awaited<ReturnType<typeof openS3Client>>;
