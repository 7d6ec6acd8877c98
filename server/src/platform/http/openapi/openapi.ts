import fastifySwagger from '@fastify/swagger';
import type { FastifyContextConfig, FastifySchema } from 'fastify';
import type { App } from '../fastify-app.ts';
import { hoistExtensionMarks, hoistHeaders, hoistSchemas, releaseOptionalBodies } from './components.ts';
import { errorResponses } from './error-responses.ts';
import { parameterExample } from './examples/parameter.examples.ts';
import { describeOperation } from './operation-description.ts';
import { serveDocument } from './served-document.ts';
import { tags } from './tags.ts';

const apiVersion = '1.3.0';

/** Must be installed before the routes that the OpenAPI document describes. */
export async function installOpenapi(
  app: App,
  { webhooks }: { webhooks: Record<string, object> },
): Promise<void> {
  const responses = new Map<string, object>();
  const errorsOf = new Map<string, Record<number, object>>();

  const addErrors = (operationId: string, config: FastifyContextConfig, path: string) => {
    const references: Record<number, object> = {};
    for (const { status, name, response } of errorResponses(config, path)) {
      responses.set(name, response);
      references[status] = { $ref: `#/components/responses/${name}` };
    }
    errorsOf.set(operationId, references);
  };

  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Parley',
        version: apiVersion,
        description:
          'Partner management API for messaging bots. It manages a Parley deployment: teams, documents, bots, devices and active messages. Members marked `x-extension: true` extend the API description 1.3.0.',
        contact: { name: 'The operator of this deployment' },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'This deployment' }],
      security: [{ accessToken: [] }],
      tags,
      components: {
        securitySchemes: {
          accessToken: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'The `access_token` that `POST /api/openapi/auth/token` returns for an API key.',
          },
        },
      },
    },
    transform: ({ schema, url, route }) => {
      const { config } = route as { config?: FastifyContextConfig };
      if (schema === undefined || config === undefined || !hasOperationId(schema)) {
        return { schema: { hide: true } as FastifySchema, url };
      }
      addErrors(schema.operationId, config, url);
      return { schema: describeOperation(schema, config, url), url };
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject;
      const { components, paths, ...rest } = document.openapiObject;
      const complete = {
        ...rest,
        components: { ...components, responses: Object.fromEntries([...responses].sort()) },
        webhooks,
        paths: completePaths(paths, errorsOf),
      };
      // The error responses are plain JSON, which the type of the document does not express.
      return hoistHeaders(
        hoistSchemas(releaseOptionalBodies(hoistExtensionMarks(complete))),
      ) as typeof document.openapiObject;
    },
  });
  serveDocument(app);
}

const hasOperationId = (schema: FastifySchema): schema is FastifySchema & { operationId: string } =>
  'operationId' in schema;

interface DescribedOperation {
  operationId?: string;
  parameters?: readonly Parameter[];
  responses?: object;
}

interface Parameter {
  name: string;
  required?: boolean;
  schema?: object;
  example?: unknown;
}

type Paths = Record<string, Record<string, DescribedOperation>>;

/** Adds the errors and the examples of parameters. */
const completePaths = (paths: object | undefined, errorsOf: ReadonlyMap<string, object>): object =>
  Object.fromEntries(
    Object.entries((paths ?? {}) as Paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => {
          const { operationId = '', parameters, responses } = operation;
          const shown = parameters?.map((parameter) => withExample(operationId, path, parameter));
          return [
            method,
            {
              ...operation,
              ...(shown === undefined ? {} : { parameters: shown }),
              responses: { ...responses, ...errorsOf.get(operationId) },
            },
          ];
        }),
      ),
    ]),
  );

/** The reference page fills in the `example` of a parameter, so an optional parameter gets one only in its schema. */
function withExample(operationId: string, path: string, parameter: Parameter): object {
  if (parameter.example !== undefined) return parameter;
  const example = parameterExample(operationId, path, parameter.name);
  return parameter.required === true
    ? { ...parameter, example }
    : { ...parameter, schema: { ...parameter.schema, examples: [example] } };
}
