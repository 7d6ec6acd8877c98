import { auditContext } from '../../platform/database/audit-context.ts';
import type { App } from '../../platform/http/fastify-app.ts';
import { toInternationalNumber } from '../../platform/http/fields.ts';
import type { KeyedHash } from '../../platform/shared/encryption.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller and its request, for the audit log. Null for requests that change nothing. */
    auditContext: string | null;
  }
}

/** Writes its row itself, because requests that arrive together share a statement. */
const writesItsRow = 'sendMessage';

/** They change nothing of Parley, but call an address of a partner. */
const callsOut = new Set(['testWebhook']);

/** Runs the handlers of changing operations so that their transactions write the audit log. */
export function installAudit(app: App, keyedHash: KeyedHash): void {
  app.decorateRequest('auditContext', null);
  app.addHook('preHandler', (request, _reply, done) => {
    const { actor, method, routeOptions, ip, id } = request;
    const { operationId } = (routeOptions.schema ?? {}) as { operationId?: string };
    if (operationId === undefined || method === 'GET') return done();
    if (routeOptions.config.readOnly === true && !callsOut.has(operationId)) return done();
    const hashed = hashContact(keyedHash, request.body, request.params);
    request.auditContext = JSON.stringify({
      key_id: actor?.keyId ?? null,
      request_id: id,
      address: ip,
      operation: operationId,
      ...(hashed === null ? {} : { hashed }),
    });
    if (operationId === writesItsRow) return done();
    auditContext.run(request.auditContext, done);
  });
}

/** Texts and numbers of contacts appear only as hashes, so that erasing a contact need not touch the log. */
function hashContact(keyedHash: KeyedHash, body: unknown, params: unknown): Record<string, string> | null {
  const { message, text, destination_number: destination } = (body ?? {}) as Record<string, unknown>;
  const { number } = (params ?? {}) as Record<string, unknown>;
  const written = message ?? text;
  const contact = destination ?? number;
  const hash = (use: string, value: string) => keyedHash(use, value).toString('hex').slice(0, 32);
  const hashed = {
    ...(typeof written === 'string' ? { text_hash: hash('audit-text', written) } : {}),
    ...(typeof contact === 'string'
      ? { contact_number_hash: hash('audit-contact', toInternationalNumber(contact)) }
      : {}),
  };
  return Object.keys(hashed).length === 0 ? null : hashed;
}
