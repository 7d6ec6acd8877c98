import type { FastifyContextConfig } from 'fastify';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import type { InputIssue } from './errors.ts';
import type { RateLimitErrorDetails } from './limits/rate-limit.ts';
import type { ValidInput } from './validation/valid-input.ts';

/**
 * Who may call: `public` without a token, `any` key, or only keys of scope `global` (`all`). Team keys get 403
 * `FORBIDDEN` on the last.
 */
type Access = 'public' | 'any' | 'all';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** 403 and 429 carry the error as an object, as the description says of send. */
    nestedErrors?: boolean;
    /** The body is read by the handler (multipart), not parsed as JSON. */
    rawBody?: boolean;
    /** What is wrong with the input beyond its schemas. */
    rules?: (input: { body: object; query: object; path: Record<string, string> }) => Iterable<InputIssue>;
    /** Members of the body that only a key of scope `global` may send. */
    globalMembers?: readonly string[];
    /** Changes nothing, though it is no GET: what broke off can be asked again. */
    readOnly?: boolean;
    /** What the path's `{id}` names, in the words of the 404. */
    resource?: string;
    /** Takes an Idempotency-Key. */
    idempotent?: boolean;
    /** Asked again and again by machines and pages: logged only when it fails, or for debugging. */
    routine?: boolean;
    /** What only the OpenAPI document needs. */
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
  /** operationId. */
  id: string;
  summary: string;
  description?: string;
  tag: string;
  access: Access;
  /** What the path's `{id}` names: team, bot, device. Declares 404. */
  resource?: string;
  /** Makes what its path names where it is not there, so that 404 is not declared. */
  creates?: boolean;
  /** Absent: the operation takes no body (nothing, an empty one, or `{}`). */
  body?: Body;
  /** Absent: no query parameter is known. Flat object of strings, integers and booleans. */
  query?: Query;
  /**
   * What is wrong with the input that its schemas cannot say and no database need be asked. Told together with the faults
   * of the schemas; a member with a fault of its own is undefined here. Read no further than faults are told.
   */
  rules?: (input: {
    body: ValidInput<Static<Body>>;
    query: ValidInput<Static<Query>>;
    path: Record<string, string>;
  }) => Iterable<InputIssue>;
  /** Members of the body that only a key of scope `global` may send: 403 for others, whatever else the body holds. */
  globalMembers?: readonly (keyof Static<Body> & string)[];
  /** Changes nothing, though it is no GET. */
  readOnly?: boolean;
  /** What 200 carries as `data`. */
  data: Data;
  meta?: Meta;
  /** Statuses beyond the ones every operation of its kind can answer. */
  errors?: readonly (400 | 403 | 404)[];
  /** Not in the description: marked `x-extension` in the OpenAPI document. */
  extension?: boolean;
  /** Takes an Idempotency-Key. */
  idempotent?: boolean;
  nestedErrors?: boolean;
  /** What a refusal for the key's request rate tells beside its reason; it then comes after the body's 400. */
  rateLimitErrorDetails?: RateLimitErrorDetails;
  /** The `multipart/form-data` body as the OpenAPI document shows it. */
  multipart?: TSchema;
  /** What answers of a status carry in headers of the operation's own. */
  headers?: Readonly<Record<number, Readonly<Record<string, TSchema>>>>;
  /** 200 is bytes, not the envelope. */
  binary?: boolean;
}

/**
 * Fastify's route options from one declaration: the types of body and query, their validation, the serializer of the
 * response, the access rule and the OpenAPI operation. Path parameters are always ids, checked after the body.
 */
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
      // The type says that the handler's body is Body; where none is declared the handler does not read one.
      ...(spec.body === undefined ? ({} as { body: Body }) : { body: spec.body }),
      // Declared closed rather than left out, so that unknown parameters are faults everywhere.
      querystring: (spec.query ?? Nothing) as Query,
      response: spec.binary === true ? {} : { 200: success },
    },
    config: {
      access: spec.access,
      nestedErrors: spec.nestedErrors === true,
      rawBody: spec.multipart !== undefined,
      idempotent: spec.idempotent === true,
      readOnly: spec.readOnly === true,
      // By the schemas, which are checked first, the input is what the rules' types say of it.
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

/** The success envelope. */
export const success = <Data>(data: Data) => ({ success: true as const, data });

export const successWithMeta = <Data, Meta>(data: Data, meta: Meta) => ({
  success: true as const,
  data,
  meta,
});

/** `data` of the deletions. */
export const Message = Type.Object({ message: Type.String() });

export type MessageData = Static<typeof Message>;
