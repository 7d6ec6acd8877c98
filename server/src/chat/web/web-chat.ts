import type { IncomingHttpHeaders } from 'node:http';
import type { GetDeviceToken } from '../../devices/device-token.ts';
import type { WebSite } from '../../devices/devices.sql.ts';
import { visitorSecret, webChatSettings } from '../../devices/devices.ts';
import { forbidden, invalidInput, notFound } from '../../platform/http/errors.ts';
import { provesSameOrigin } from '../../platform/shared/hosts.ts';
import type { WebEvent } from '../../ports/messaging-network/web.ts';
import { isSignedBy, type Visitors } from './visitors.ts';
import { maxFileBytes, type WriteChat } from './web-chat.schemas.ts';

/** A page of this deployment may try the chat. */
export function requireAllowedOrigin(site: WebSite, headers: IncomingHttpHeaders): void {
  const { allowed_origins: allowed } = webChatSettings(site);
  if (headers.origin !== undefined && allowed.includes(headers.origin)) return;
  if (provesSameOrigin(headers)) return;
  throw forbidden('origin_not_allowed', 'The chat does not belong to this website');
}

/** What the head of the chat shows. The brand of the team fills what the device leaves open. */
export function describeChat(site: WebSite) {
  const { title, color, greeting } = webChatSettings(site);
  return {
    title: title || site.brand?.name || site.name,
    color: color || site.brand?.color || '#0b5cad',
    greeting,
    has_logo: site.brand?.has_logo ?? false,
  };
}

/** Returns the token of the visitor: of the signed person, of an earlier visit or a new one. */
export function openVisitor(
  { visitors, getDeviceToken }: { visitors: Visitors; getDeviceToken: GetDeviceToken },
  site: WebSite,
  { visitor, identity }: { visitor?: string; identity?: { id: string; signature: string } },
): string {
  if (identity !== undefined) {
    if (!isSignedBy(visitorSecret(getDeviceToken, site), identity.id, identity.signature))
      throw forbidden('signature_invalid', 'The signature of the visitor is not that of the website');
    return visitors.createSigned(site.id, identity.id);
  }
  if (webChatSettings(site).signed_visitors_only)
    throw forbidden('signature_invalid', 'The chat is only for visitors whom the website has signed');
  if (visitor !== undefined && visitors.read(site.id, visitor)?.startsWith('web:v-') === true) return visitor;
  return visitors.create(site.id);
}

export function toWebEvent(
  contact: string,
  { id, text, file }: WriteChat,
): { event: WebEvent; bytes: Uint8Array | null } {
  const bytes = file === undefined ? null : Buffer.from(file.base64, 'base64');
  if (bytes !== null && (bytes.length === 0 || bytes.length > maxFileBytes))
    throw invalidInput([{ path: 'file.base64', message: `must be 1 to ${maxFileBytes} bytes` }]);
  if (bytes === null && text.trim() === '')
    throw invalidInput([{ path: 'text', message: 'must not be empty without a file' }]);
  const image = bytes === null ? null : findImageType(bytes);
  return {
    event: {
      type: 'message',
      id,
      contact,
      sentAt: new Date().toISOString(),
      text,
      file:
        file === undefined
          ? null
          : image === null
            ? { kind: 'document', mimeType: mimeTypeOf(file.type), name: file.name }
            : { kind: 'image', mimeType: image, name: file.name },
    },
    bytes,
  };
}

const mimeTypeOf = (given: string): string =>
  /^[\w.+-]+\/[\w.+-]+$/.test(given) ? given : 'application/octet-stream';

const imageTypes: readonly (readonly [string, RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
];

const findImageType = (bytes: Buffer): string | null =>
  imageTypes.find(([, start]) => start.test(bytes.subarray(0, 16).toString('latin1')))?.[0] ?? null;

export const requireOpen = (site: WebSite): void => {
  if (!site.is_open) throw notFound('device');
};
