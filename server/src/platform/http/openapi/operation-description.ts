import type { FastifyContextConfig, FastifySchema } from 'fastify';
import { type TObject, type TSchema, Type } from 'typebox';
import type { OperationRoles } from '../authentication.ts';
import { Id } from '../fields.ts';
import { idempotencyKeyPattern } from '../idempotency/idempotency-key.ts';
import type { FileResponse } from '../operation.ts';
import type { OperationExample } from './examples/example.ts';
import { operationExamples } from './examples/examples.ts';
import { responseHeaders } from './headers.ts';

/** Describes the request and the success. `error-responses.ts` describes the errors. */
export function describeOperation(
  schema: FastifySchema & { operationId: string },
  config: FastifyContextConfig,
  { url, roles }: { url: string; roles: OperationRoles },
): FastifySchema {
  const { body, querystring, response, ...rest } = schema;
  const documented = config.documented;
  const example = operationExamples[schema.operationId] ?? {};
  const bodyTitle = schema.operationId.charAt(0).toUpperCase() + schema.operationId.slice(1);
  const queried = hasMembers(querystring);
  const pathParameters = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return {
    ...rest,
    ...(queried ? { querystring: withoutDefaulted(querystring as TObject) } : {}),
    ...(body === undefined ? {} : { body: { title: bodyTitle, ...body, examples: [example.body] } }),
    ...(documented?.multipart === undefined
      ? {}
      : { body: { title: bodyTitle, ...documented.multipart }, consumes: ['multipart/form-data'] }),
    ...(pathParameters.length === 0 ? {} : { params: pathSchema(pathParameters) }),
    ...(config.idempotent === true ? { headers: idempotencyHeader } : {}),
    ...(documented?.extension === true ? { 'x-extension': true } : {}),
    ...(config.access === 'public' || config.access === 'session' ? {} : { 'x-roles': roles }),
    response:
      documented?.file == null
        ? describeResponse(response, config, example)
        : { 200: { ...describeFile(documented.file), headers: responseHeaders(200, config) } },
  } as FastifySchema;
}

const describeFile = ({ description, types }: FileResponse) => ({
  description,
  content: Object.fromEntries(
    types.map((type) => [type, { schema: { type: 'string', format: 'binary', contentMediaType: type } }]),
  ),
});

const idempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      'x-extension': true,
      minLength: 1,
      maxLength: 255,
      pattern: idempotencyKeyPattern,
      description: 'For 24 hours, a retry with the same key returns the first result.',
    }),
  ),
});

/** A query parameter with a default is optional for clients but always set in handlers. */
function withoutDefaulted(querystring: TObject): TSchema {
  const { properties } = querystring;
  const required: readonly string[] = querystring.required ?? [];
  const hasDefault = (name: string) => properties[name] !== undefined && 'default' in properties[name];
  return { ...querystring, required: required.filter((name) => !hasDefault(name)) };
}

const hasMembers = (schema: unknown): boolean =>
  Object.keys((schema as { properties?: object }).properties ?? {}).length > 0;

const eventStream = {
  schema: {
    type: 'string',
    description: 'Server-sent events: `id` is the cursor, `event` the type, `data` the event.',
  },
};

const describeResponse = (
  response: unknown,
  config: FastifyContextConfig,
  example: OperationExample,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(response as Record<string, TSchema>).map(([status, schema]) => [
      status,
      {
        description: 'Success',
        headers: responseHeaders(Number(status), config),
        content: {
          'application/json': { schema, example: successExample(schema, example) },
          ...(config.documented?.streams === true
            ? { 'text/event-stream': { ...eventStream, example: example.stream } }
            : {}),
        },
      },
    ]),
  );

/** A list in pages shows its only page. */
function successExample(schema: TSchema, { data, meta }: OperationExample): object {
  const { meta: metaSchema } = (schema as TObject).properties;
  if (metaSchema === undefined) return { success: true, data };
  const total = Array.isArray(data) ? data.length : 0;
  return { success: true, data, meta: meta ?? { page: 1, limit: 20, total, totalPages: 1 } };
}

function pathSchema(names: readonly string[]): TSchema {
  return Type.Object(Object.fromEntries(names.map((name) => [name, name === 'id' ? Id() : Type.String()])));
}
