/** A bucket and the access to it. */
export interface S3Settings {
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
export async function openS3Client(settings: S3Settings) {
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

export type S3Access = Awaited<ReturnType<typeof openS3Client>>;
