import type { IncomingHttpHeaders } from 'node:http';
import type { StoredCredentials } from './credentials.ts';

/** What a network pushed about an account. */
export interface PushedItem {
  /** Unique for the account. The network may push an event again. */
  key: string;
  /** Whom it is about. */
  contact: string | null;
  payload: object;
}

/** How the pushes of a network are recognized, and taken apart. */
export interface NetworkWebhook {
  /** Answers the request with which a network checks the address. Null: it does not know the verify token. */
  challenge?(query: Readonly<Record<string, unknown>>, credentials: StoredCredentials): string | null;
  /** Whether the network sent these bytes to the owner of the credentials. */
  isAuthentic(
    request: { headers: IncomingHttpHeaders; body: Buffer },
    credentials: StoredCredentials,
  ): boolean;
  /** Returns the events of the account of the credentials, in order. */
  split(body: unknown, credentials: StoredCredentials): PushedItem[];
}
