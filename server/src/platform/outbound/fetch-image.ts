import { ApiError } from '../http/errors.ts';
import { followRedirects } from './follow-redirects.ts';
import { type OutboundCause, OutboundError, outboundFailure } from './outbound-error.ts';

export interface FetchedImage {
  bytes: Uint8Array;
  mimeType: string;
}

type Call = (
  request: { url: string; method: 'GET'; headers: Readonly<Record<string, string>> },
  limits: { signal?: AbortSignal; maxBytes: number; timeoutMs: number },
) => Promise<{
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}>;

const maxBytes = 10 * 1024 * 1024;
const maxRedirects = 3;
const timeoutMs = 10_000;

const explanations: Record<OutboundCause, string> = {
  host_unknown: 'its host name has no public address',
  not_public: 'it must be on a public http(s) address, without another port or credentials',
  unreachable: 'its host does not respond',
  timeout: `its host took longer than ${timeoutMs / 1000} seconds`,
  bad_status: 'its host did not respond with status 200',
  too_large: `it is larger than ${maxBytes / 1024 / 1024} MiB`,
  not_an_image: 'it is not an image',
  other_type: 'its type is not image_mime_type',
};

/** Checks every redirect. Throws `image_unavailable` (400). */
export async function fetchImage(
  call: Call,
  url: string,
  { expectedMimeType, signal }: { expectedMimeType?: string; signal?: AbortSignal },
): Promise<FetchedImage> {
  try {
    const bytes = await fetchBytes(call, url, signal);
    const { fileTypeFromBuffer } = await import('file-type');
    const mimeType = (await fileTypeFromBuffer(bytes))?.mime ?? 'unknown';
    if (!mimeType.startsWith('image/')) throw outboundFailure('not_an_image', `type ${mimeType}`);
    if (expectedMimeType !== undefined && normalizeMimeType(expectedMimeType) !== mimeType) {
      throw outboundFailure('other_type', `type ${mimeType}, expected ${expectedMimeType}`);
    }
    return { bytes, mimeType };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const { kind, isTemporary } = error;
    const message = `The image could not be fetched: ${explanations[kind]}`;
    const details = { reason: 'image_unavailable', cause: kind } as const;
    throw new ApiError(400, 'BAD_REQUEST', message, { details, isTemporary });
  }
}

async function fetchBytes(call: Call, url: string, signal: AbortSignal | undefined): Promise<Buffer> {
  const endsAt = performance.now() + timeoutMs;
  const callOne = (address: string) =>
    call(
      { url: address, method: 'GET', headers: { accept: 'image/*', 'user-agent': 'Parley' } },
      {
        maxBytes,
        timeoutMs: Math.max(1, Math.round(endsAt - performance.now())),
        ...(signal === undefined ? {} : { signal }),
      },
    );
  const { status, body } = await followRedirects(url, callOne, { max: maxRedirects });
  if (status === 200) return body;
  const isTemporary = status === 429 || status >= 500;
  throw outboundFailure('bad_status', `status ${status}`, { isTemporary });
}

function normalizeMimeType(mimeType: string): string {
  const plain = (mimeType.split(';')[0] ?? '').trim().toLowerCase();
  return plain === 'image/jpg' ? 'image/jpeg' : plain;
}
