import type { FastifyRequest } from 'fastify';
import type { Database } from '../platform/database/database.ts';
import type { Routes } from '../platform/http/fastify-app.ts';
import type { Encryption } from '../platform/shared/encryption.ts';
import {
  credentialsEntry,
  parseCredentials,
  type StoredCredentials,
} from '../ports/messaging-network/credentials.ts';
import { networkWebhooks } from '../ports/messaging-network/network-webhooks.ts';
import type { MessagingNetworkName } from '../ports/messaging-network/supported-content.ts';
import { type AccountRow, selectAccounts } from './credentials.queries.ts';
import { sealedSessions } from './device-sessions.sql.ts';
import type { PushEvent } from './inbox.ts';

interface Dependencies {
  db: Database;
  encryption: Pick<Encryption, 'open'>;
  push: PushEvent;
  networks: { enabled: readonly MessagingNetworkName[] };
}

/** A webhook of the Graph API has at most 3 MiB. */
const maxBodyBytes = 3 * 1024 * 1024;

/** Where networks push events. Not a part of the partner API: a push proves itself with the secret of a device. */
export const networkWebhookRoutes =
  (deps: Dependencies): Routes =>
  (app) => {
    const { db, encryption, push, networks } = deps;
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_request, body, done) =>
      done(null, body),
    );
    const config = { access: 'public', routine: true } as const;
    const findAccounts = async (network: MessagingNetworkName, { params }: FastifyRequest) => {
      const { account } = params as { account: string };
      const rows = await selectAccounts(db, { network, accountKey: account });
      return rows.map((row) => ({ ...row, credentials: openCredentials(encryption, network, row) }));
    };

    for (const network of networks.enabled) {
      const webhook = networkWebhooks[network];
      if (webhook === undefined) continue;
      const path = `/networks/${network}/:account/webhook`;
      app.get(path, { config }, async (request, reply) => {
        const accounts = await findAccounts(network, request);
        const query = request.query as Record<string, unknown>;
        for (const { credentials } of accounts) {
          const challenge = webhook.challenge?.(query, credentials) ?? null;
          if (challenge !== null) return reply.type('text/plain; charset=utf-8').send(challenge);
        }
        return reply.code(401).send();
      });

      app.post(path, { config, bodyLimit: maxBodyBytes }, async (request, reply) => {
        const accounts = await findAccounts(network, request);
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const { headers } = request;
        const senders = accounts.filter(({ credentials }) =>
          webhook.isAuthentic({ headers, body }, credentials),
        );
        if (senders.length === 0) return reply.code(401).send();
        const parsed = parseJson(body);
        // Otherwise another device of the account would answer them again once it is connected.
        const holders = senders.filter(({ is_held_elsewhere }) => !is_held_elsewhere);
        const events = holders.flatMap(({ device_id: deviceId, team_id: teamId, credentials }) =>
          webhook.split(parsed, credentials).map((item) => ({ deviceId, teamId, bytes: null, ...item })),
        );
        await Promise.all(events.map(push));
        return reply.code(200).send();
      });
    }
  };

function openCredentials(
  encryption: Pick<Encryption, 'open'>,
  network: MessagingNetworkName,
  { device_id: deviceId, value_sealed: sealed }: AccountRow,
): StoredCredentials {
  return parseCredentials(
    encryption.open(sealed, sealedSessions.context(deviceId, network, credentialsEntry)),
  );
}

/** A network that sends something else signed it. Sending it again would change nothing. */
function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
  }
}
