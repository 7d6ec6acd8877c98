import type { OpenapiDocument } from '../response-check.ts';

/** The part of JSON Schema that the requests use. */
export interface JsonSchema {
  $ref?: string;
  type?: string;
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly JsonSchema[];
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  format?: string;
  default?: unknown;
}

interface Parameter {
  name: string;
  required?: boolean;
  schema: JsonSchema;
}

/** An operation of the OpenAPI document, with resolved schemas. */
export interface ApiOperation {
  id: string;
  method: string;
  /** Contains parameters as `{id}`. */
  path: string;
  /** Requires no token. */
  open: boolean;
  /** The roles that may call it. */
  roles: { partner: readonly string[]; team: readonly string[] };
  pathParameters: readonly string[];
  query: readonly Parameter[];
  body: JsonSchema | null;
  bodyIsOptional: boolean;
  multipart: JsonSchema | null;
  idempotent: boolean;
  /** All declared statuses, in order. */
  statuses: readonly number[];
  /** The 200 response is a JSON envelope, not a file or a stream. */
  returnsJson: boolean;
}

interface DocumentedOperation {
  operationId: string;
  security?: unknown[];
  'x-roles'?: ApiOperation['roles'];
  parameters?: (Parameter & { in: string })[];
  requestBody?: { required?: boolean; content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { content?: Record<string, unknown> }>;
}

export async function fetchOpenapi(baseUrl: string): Promise<OpenapiDocument> {
  const response = await fetch(`${baseUrl}/api/openapi/openapi.json`);
  // `npm run check` validates the document.
  return (await response.json()) as OpenapiDocument;
}

/** All operations, in the document's order. */
export function readOperations(document: OpenapiDocument): ApiOperation[] {
  const resolve = resolver(document.components.schemas);
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, documented]) => {
      const operation = documented as unknown as DocumentedOperation;
      const content = operation.requestBody?.content ?? {};
      const parameters = (operation.parameters ?? []).map((p) => ({ ...p, schema: resolve(p.schema) }));
      const json = content['application/json'];
      const form = content['multipart/form-data'];
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        open: operation.security?.length === 0,
        roles: operation['x-roles'] ?? { partner: [], team: [] },
        pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
        query: parameters.filter((p) => p.in === 'query'),
        body: json === undefined ? null : resolve(json.schema),
        bodyIsOptional: operation.requestBody?.required !== true,
        multipart: form === undefined ? null : resolve(form.schema),
        idempotent: parameters.some((p) => p.in === 'header' && p.name.toLowerCase() === 'idempotency-key'),
        statuses: Object.keys(operation.responses).map(Number).sort(),
        returnsJson: 'application/json' in (operation.responses['200']?.content ?? {}),
      };
    }),
  );
}

/** Resolves references to components. Request schemas are not recursive. */
function resolver(components: Record<string, object>): (schema: JsonSchema) => JsonSchema {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const reference = (value as JsonSchema).$ref;
    if (reference !== undefined) return resolve(components[reference.split('/').at(-1) ?? ''] ?? {});
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolve(member)]));
  };
  return (schema) => resolve(schema) as JsonSchema;
}

/** Returns the collection of a path parameter: `teams` in `/teams/{id}`. */
export function collectionOf(operation: Pick<ApiOperation, 'path'>, parameter: string): string {
  const segments = operation.path.split('/');
  return segments[segments.indexOf(`{${parameter}}`) - 1] ?? '';
}

/** Returns the collection that a member refers to: `teams` for `team_id`, `documents` for `document_ids`. */
export function collectionNamedBy(member: string): string | null {
  const [, singular] = /^(\w+)_ids?$/.exec(member) ?? [];
  return singular === undefined ? null : `${singular}s`;
}
