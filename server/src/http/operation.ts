import type { FastifyContextConfig } from 'fastify';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import type { InputIssue } from './errors.ts';
import type { RateLimitErrorDetails } from './limits/rate-limit.ts';
import type { ValidInput } from './validation/valid-input.ts';

/** `public`: no token; `any`: every key; `all`: only keys of scope `global`, others get 403. */
type Access = 'public' | 'any' | 'all';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    nestedErrors?: boolean;
    rawBody?: boolean;
    rules?: (input: { body: object; query: object; path: Record<string, string> }) => Iterable<InputIssue>;
    globalMembers?: readonly string[];
    readOnly?: boolean;
    resource?: string;
    idempotent?: boolean;
    /** Frequent probes and polls: logged at debug level unless they fail. */
    routine?: boolean;
    documented?: {
      errors: readonly number[];
      extension: boolean;
      binary: boolean;
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
  description?: string;
  tag: string;
  access: Access;
  /** The resource of the path's `{id}`, like team or bot: declares 404. */
  resource?: string;
  /** Creates the resource in the path if it does not exist, so 404 is not declared. */
  creates?: boolean;
  /** Absent: the operation accepts only an empty body or `{}`. */
  body?: Body;
  query?: Query;
  /** Checks that a schema cannot express and that need no database. Invalid fields are undefined here. */
  rules?: (input: {
    body: ValidInput<Static<Body>>;
    query: ValidInput<Static<Query>>;
    path: Record<string, string>;
  }) => Iterable<InputIssue>;
  /** Body fields that only keys of scope `global` may send. Others get 403, even if the body is invalid. */
  globalMembers?: readonly (keyof Static<Body> & string)[];
  readOnly?: boolean;
  data: Data;
  meta?: Meta;
  errors?: readonly (400 | 403 | 404)[];
  extension?: boolean;
  idempotent?: boolean;
  nestedErrors?: boolean;
  rateLimitErrorDetails?: RateLimitErrorDetails;
  multipart?: TSchema;
  headers?: Readonly<Record<number, Readonly<Record<string, TSchema>>>>;
  /** The response is a file, without the envelope. */
  binary?: boolean;
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
      ...(spec.description === undefined ? {} : { description: spec.description }),
      ...(spec.access === 'public' ? { security: [] } : {}),
      // The type is needed for inference only: without a body schema, handlers read no body.
      ...(spec.body === undefined ? ({} as { body: Body }) : { body: spec.body }),
      // Always declared, so that validation rejects unknown parameters.
      querystring: (spec.query ?? Nothing) as Query,
      response: spec.binary === true ? {} : { 200: success },
    },
    config: {
      access: spec.access,
      nestedErrors: spec.nestedErrors === true,
      rawBody: spec.multipart !== undefined,
      idempotent: spec.idempotent === true,
      readOnly: spec.readOnly === true,
      // Schema validation runs first, so the input has the types of the rules.
      ...(spec.rules === undefined ? {} : { rules: spec.rules as FastifyContextConfig['rules'] & object }),
      ...(spec.globalMembers === undefined ? {} : { globalMembers: spec.globalMembers }),
      ...(spec.resource === undefined ? {} : { resource: spec.resource }),
      ...(spec.rateLimitErrorDetails === undefined
        ? {}
        : { rateLimitErrorDetails: spec.rateLimitErrorDetails }),
      documented: {
        errors: spec.errors ?? [],
        extension: spec.extension === true,
        binary: spec.binary === true,
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
