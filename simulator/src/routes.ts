import type { FastifyInstance } from 'fastify';
import type { ChatEntry } from './chat.ts';
import { RequestRefused, success } from './http-app.ts';
import { type Network, phoneExists } from './network.ts';
import { ScanRefused } from './pairing.ts';
import { phoneNumberPattern, type WireContent } from './protocol.ts';
import type { LoginRefusal } from './simulated-faults.ts';

const phoneNumber = { type: 'string', pattern: phoneNumberPattern } as const;
const base64 = { type: 'string', minLength: 4 } as const;

function closedObject(required: readonly string[], properties: object): object {
  return { type: 'object', additionalProperties: false, required, properties };
}

const scanBody = closedObject(['qr', 'phone_number'], {
  qr: { type: 'string', minLength: 1, maxLength: 2_000 },
  phone_number: phoneNumber,
});

interface WriteBody {
  from: string;
  to: string;
  text?: string;
  image_base64?: string;
  audio_base64?: string;
  document_base64?: string;
  file_name?: string;
  details?: object;
  id?: string;
}

const writeBody = closedObject(['from', 'to'], {
  from: phoneNumber,
  to: phoneNumber,
  text: { type: 'string', minLength: 1, maxLength: 65_536 },
  image_base64: base64,
  audio_base64: base64,
  document_base64: base64,
  file_name: { type: 'string', minLength: 1, maxLength: 255 },
  details: { type: 'object' },
  id: { type: 'string', maxLength: 128, pattern: '^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]+$' },
});

interface ChatQuery {
  contact: string;
  device: string;
}

const chatQuery = closedObject(['contact', 'device'], { contact: phoneNumber, device: phoneNumber });
const mediaQuery = closedObject(['contact', 'device', 'id', 'direction'], {
  contact: phoneNumber,
  device: phoneNumber,
  id: { type: 'string', minLength: 1 },
  direction: { enum: ['in', 'out'] },
});

interface FaultBody {
  device: string;
  fault:
    | 'drop'
    | 'logout'
    | 'ban'
    | 'refuse_next'
    | 'lose_ack_next'
    | 'delay_acks'
    | 'restrict'
    | LoginRefusal['reason'];
  count?: number;
  ms?: number;
}

const faultBody = closedObject(['device', 'fault'], {
  device: phoneNumber,
  fault: {
    enum: [
      'drop',
      'logout',
      'ban',
      'refuse_next',
      'lose_ack_next',
      'delay_acks',
      'restrict',
      'suspended',
      'client_outdated',
      'unavailable',
    ],
  },
  count: { type: 'integer', minimum: 0, maximum: 1_000_000 },
  ms: { type: 'integer', minimum: 0, maximum: 600_000 },
});

export function registerRoutes(app: FastifyInstance, network: Network): void {
  app.post<{ Body: { qr: string; phone_number: string } }>(
    '/simulator/scan',
    { schema: { body: scanBody } },
    async ({ body }) => {
      if (!phoneExists(body.phone_number)) throw phoneUnknown(body.phone_number);
      await scan(network, body.qr, body.phone_number);
      return success({ phone_number: body.phone_number });
    },
  );

  app.post<{ Body: WriteBody }>('/simulator/messages', { schema: { body: writeBody } }, async ({ body }) => {
    const content = toContent(body);
    const { from, to, id } = body;
    const toLinked = network.state.linkedDevices(to) !== null;
    const fromLinked = network.state.linkedDevices(from) !== null && phoneExists(to);
    if (!toLinked && !fromLinked) throw phoneUnknown(to);
    return success({ id: await network.write({ from, to, content, id }) });
  });

  app.get('/simulator/phones', async () => success(network.linkedPhones()));

  app.get<{ Querystring: ChatQuery }>(
    '/simulator/messages',
    { schema: { querystring: chatQuery } },
    async ({ query }) => {
      const isConfirmed = network.state.confirmedIn(query.device, query.contact);
      const entries = network.state.chat(query.device, query.contact);
      return success(entries.map((entry) => presentEntry(entry, isConfirmed(entry))));
    },
  );

  app.get<{ Querystring: ChatQuery & { id: string; direction: 'in' | 'out' } }>(
    '/simulator/media',
    { schema: { querystring: mediaQuery } },
    async ({ query }, reply) => {
      const content = network.state
        .chat(query.device, query.contact)
        .find(({ id, direction }) => id === query.id && direction === query.direction)?.content;
      if (!content || content.kind === 'text') {
        throw new RequestRefused(404, 'media_unknown', 'This chat has no media with this id and direction');
      }
      const bytes = await network.mediaStore.get(content.media);
      // The detected type and the policy keep a browser from running the content.
      return reply
        .header('Content-Type', detectMediaType(bytes))
        .header('X-Content-Type-Options', 'nosniff')
        .header('Content-Security-Policy', "default-src 'none'; sandbox")
        .header('Content-Disposition', content.kind === 'document' ? 'attachment' : 'inline')
        .send(bytes);
    },
  );

  app.post<{ Body: FaultBody }>('/simulator/faults', { schema: { body: faultBody } }, async ({ body }) => {
    if (network.state.linkedDevices(body.device) === null) throw phoneUnknown(body.device);
    await injectFault(network, body);
    return success(body);
  });
}

async function scan(network: Network, qr: string, phone: string): Promise<void> {
  try {
    await network.scan(qr, phone);
  } catch (error) {
    if (error instanceof ScanRefused) throw new RequestRefused(400, error.reason, error.message);
    throw error;
  }
}

async function injectFault(
  network: Network,
  { device, fault, count = 1, ms = 1_000 }: FaultBody,
): Promise<void> {
  switch (fault) {
    case 'drop':
      return network.drop(device);
    case 'logout':
      return network.logOut(device);
    case 'ban':
      return network.ban(device);
    case 'refuse_next':
      return network.faults.refuseNext(device, count);
    case 'lose_ack_next':
      return network.faults.loseNextAcks(device, count);
    case 'delay_acks':
      return network.faults.delayAcks(device, count, ms);
    case 'restrict':
      return network.faults.restrict(device, ms);
    case 'suspended':
    case 'client_outdated':
    case 'unavailable':
      return network.refuseLogins(device, fault, ms);
  }
}

function toContent(body: WriteBody): WireContent {
  const { text, image_base64, audio_base64, document_base64, file_name } = body;
  const media = [image_base64, audio_base64, document_base64].filter((sent) => sent !== undefined);
  if (
    media.length > 1 ||
    (media.length === 0 && text === undefined) ||
    (audio_base64 !== undefined && text !== undefined)
  ) {
    throw new RequestRefused(
      400,
      'content',
      'Send one of text, image_base64, audio_base64 or document_base64. text may caption an image or a document',
    );
  }
  const base64 = media[0];
  if (base64 === undefined)
    return { kind: 'text', text: text ?? '', ...(body.details && { details: body.details }) };
  const bytes = Buffer.from(base64, 'base64');
  // A regular expression over 16 MiB would overflow the stack.
  if (bytes.toString('base64') !== base64)
    throw new RequestRefused(400, 'base64', 'The media is not valid base64');
  const mimeType = detectMediaType(bytes);
  if (audio_base64 !== undefined) {
    return { kind: 'voice', mimeType, base64, seconds: readOpusSeconds(bytes), waveform: '' };
  }
  if (image_base64 !== undefined) return { kind: 'image', mimeType, base64, caption: text ?? '' };
  return { kind: 'document', mimeType, base64, fileName: file_name ?? 'document', caption: text ?? '' };
}

function presentEntry({ id, direction, content, sentAt, copies }: ChatEntry, received: boolean): object {
  const text =
    content.kind === 'text' ? content.text : content.kind === 'voice' ? null : content.caption || null;
  return {
    id,
    direction,
    kind: content.kind,
    text,
    mime_type: content.kind === 'text' ? null : content.mimeType,
    bytes: content.kind === 'text' ? null : content.size,
    sent_at: sentAt,
    copies,
    received,
  };
}

function phoneUnknown(number: string): RequestRefused {
  return new RequestRefused(404, 'phone_unknown', `No linked phone has the number ${number}`);
}

const signatures: readonly { mimeType: string; offset: number; bytes: string }[] = [
  { mimeType: 'image/png', offset: 0, bytes: '\x89PNG' },
  { mimeType: 'image/jpeg', offset: 0, bytes: '\xff\xd8\xff' },
  { mimeType: 'image/gif', offset: 0, bytes: 'GIF8' },
  { mimeType: 'image/webp', offset: 8, bytes: 'WEBP' },
  { mimeType: 'audio/ogg; codecs=opus', offset: 0, bytes: 'OggS' },
  { mimeType: 'audio/wav', offset: 8, bytes: 'WAVE' },
  { mimeType: 'audio/mpeg', offset: 0, bytes: 'ID3' },
  { mimeType: 'audio/mpeg', offset: 0, bytes: '\xff\xfb' },
  { mimeType: 'audio/mp4', offset: 4, bytes: 'ftyp' },
  { mimeType: 'application/pdf', offset: 0, bytes: '%PDF-' },
];

/** Detects the type by the first bytes. Returns `application/octet-stream` for unknown types. */
function detectMediaType(bytes: Buffer): string {
  const match = signatures.find(
    ({ offset, bytes: signature }) =>
      bytes.toString('latin1', offset, offset + signature.length) === signature,
  );
  return match?.mimeType ?? 'application/octet-stream';
}

const longestSeconds = 86_400;

/** Reads the length of an Ogg Opus recording in whole seconds, at least 1. Returns 0 for invalid or other data. */
function readOpusSeconds(bytes: Buffer): number {
  const lastPage = bytes.lastIndexOf('OggS', undefined, 'latin1');
  if (lastPage < 0 || lastPage + 14 > bytes.length) return 0;
  const seconds = Number(bytes.readBigInt64LE(lastPage + 6)) / 48_000;
  return seconds >= 0 && seconds <= longestSeconds ? Math.max(1, Math.round(seconds)) : 0;
}
