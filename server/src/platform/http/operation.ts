import type { FastifyContextConfig } from 'fastify';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import type { InputIssue, Resource } from './errors.ts';
import type { RateLimitErrorDetails } from './limits/rate-limit.ts';
import type { ValidInput } from './validation/valid-input.ts';

/**
 * The callers of the operation. `public` needs no token. With `globalKey`, keys of scope `team` get 403. `session` is for every person who
 * signed in, and not for API keys.
 */
type Access = 'public' | 'anyKey' | 'globalKey' | 'session';

/** A response that is a file instead of the JSON envelope. */
export interface FileResponse {
  description: string;
  /** Media types or ranges of them. */
  types: readonly string[];
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    nestedErrors?: boolean;
    rawBody?: boolean;
    rules?: (input: { body: object; query: object; path: Record<string, string> }) => Iterable<InputIssue>;
    globalMembers?: readonly string[];
    readOnly?: boolean;
    resource?: Resource;
    idempotent?: boolean;
    /** Frequent probes and polls: logged at debug level unless they fail. */
    routine?: boolean;
    /** Accepts every Host header. */
    anyHost?: boolean;
    documented?: {
      errors: readonly number[];
      extension: boolean;
      file: FileResponse | null;
      streams: boolean;
      headers: Readonly<Record<number, Readonly<Record<string, TSchema>>>>;
      multipart?: TSchema;
      creates: boolean;
    };
  }
}

const Nothing = Type.Object({}, { additionalProperties: false });
const NoMeta = Type.Optional(Type.Undefined());

interface OperationSpec<
  Body extends TSchema,
  Query extends TObject,
  Data extends TSchema,
  Meta extends TSchema,
> {
  id: string;
  summary: string;
  description: string;
  tag: string;
  access: Access;
  /** The resource that the path's `{id}` names, for example `team`. Its 404 is then documented. */
  resource?: Resource;
  /** Creates the resource in the path if it does not exist, so 404 is not documented. */
  creates?: boolean;
  /** Absent: the operation accepts only an empty body or `{}`. With `x-optional`, no body counts as `{}`. */
  body?: Body;
  query?: Query;
  /** Checks that a schema cannot express, without the database. Fields that the schema rejects are undefined. */
  rules?: (input: {
    body: ValidInput<Static<Body>>;
    query: ValidInput<Static<Query>>;
    path: Record<string, string>;
  }) => Iterable<InputIssue>;
  /** Body fields that only keys of scope `global` may send. Other keys get 403, even if the body is invalid. */
  globalMembers?: readonly (keyof Static<Body> & string)[];
  readOnly?: boolean;
  data: Data;
  meta?: Meta;
  errors?: readonly (400 | 401 | 403 | 404 | 429)[];
  extension?: boolean;
  idempotent?: boolean;
  nestedErrors?: boolean;
  rateLimitErrorDetails?: RateLimitErrorDetails;
  multipart?: TSchema;
  headers?: Readonly<Record<number, Readonly<Record<string, TSchema>>>>;
  file?: FileResponse;
  /** Also responds with server-sent events. */
  streams?: boolean;
}

export function operation<
  Body extends TSchema = typeof Nothing,
  Query extends TObject = typeof Nothing,
  Data extends TSchema = TSchema,
  Meta extends TSchema = typeof NoMeta,
>(spec: OperationSpec<Body, Query, Data, Meta>) {
  const success = Type.Object({
    success: Type.Literal(true),
    data: spec.data,
    ...(spec.meta === undefined ? {} : { meta: spec.meta }),
  });
  return {
    schema: {
      operationId: spec.id,
      summary: spec.summary,
      tags: [spec.tag],
      description: spec.description,
      ...(spec.access === 'public' ? { security: [] } : {}),
      ...(spec.access === 'session' ? { security: [{ session: [] }] } : {}),
      // The cast only gives handlers the type of the body. Without a body schema, they read none.
      ...(spec.body === undefined ? ({} as { body: Body }) : { body: spec.body }),
      // Always declared, so that validation rejects unknown parameters.
      querystring: (spec.query ?? Nothing) as Query,
      response: spec.file === undefined ? { 200: success } : {},
    },
    config: {
      access: spec.access,
      nestedErrors: spec.nestedErrors === true,
      rawBody: spec.multipart !== undefined,
      idempotent: spec.idempotent === true,
      readOnly: spec.readOnly === true,
      // Rules only get fields that match the schema, so the input has the types that they declare.
      ...(spec.rules === undefined ? {} : { rules: spec.rules as FastifyContextConfig['rules'] & object }),
      ...(spec.globalMembers === undefined ? {} : { globalMembers: spec.globalMembers }),
      ...(spec.resource === undefined ? {} : { resource: spec.resource }),
      ...(spec.rateLimitErrorDetails === undefined
        ? {}
        : { rateLimitErrorDetails: spec.rateLimitErrorDetails }),
      documented: {
        errors: spec.errors ?? [],
        extension: spec.extension === true,
        file: spec.file ?? null,
        streams: spec.streams === true,
        headers: spec.headers ?? {},
        creates: spec.creates === true,
        ...(spec.multipart === undefined ? {} : { multipart: spec.multipart }),
      },
    },
  };
}

export const success = <Data>(data: Data) => ({ success: true as const, data });

export const successWithMeta = <Data, Meta>(data: Data, meta: Meta) => ({
  success: true as const,
  data,
  meta,
});

export const Message = Type.Object({ message: Type.String() });

export type MessageData = Static<typeof Message>;
