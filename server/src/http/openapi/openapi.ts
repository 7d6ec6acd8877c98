import fastifySwagger from '@fastify/swagger';
import type { FastifySchema } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../app.ts';
import { errorCodes, maxIssues } from '../errors.ts';
import { hoistHeaders, hoistSchemas } from './components.ts';
import { markParameters } from './extensions.ts';
import { describeOperation } from './operation-description.ts';

/** The version of the API's description. */
const apiVersion = '1.3.0';

const ErrorDetails = Type.Object(
  {
    more_issues: Type.Optional(
      Type.Literal(true, {
        'x-extension': true,
        description: `There are more faults than \`issues\` tells: at most ${maxIssues}. A list or map beyond its limit is one fault, whatever it holds.`,
      }),
    ),
  },
  { additionalProperties: true },
);

const ErrorBody = Type.Object(
  {
    success: Type.Literal(false),
    error: Type.String({ description: 'Message for people.' }),
    code: Type.Enum([...errorCodes]),
    details: Type.Optional(Type.Union([ErrorDetails, Type.Null()])),
  },
  { title: 'Error' },
);

const NestedErrorBody = Type.Object(
  {
    success: Type.Literal(false),
    error: Type.Object({
      message: Type.String(),
      code: Type.Enum([...errorCodes]),
      details: Type.Optional(Type.Object({}, { additionalProperties: true })),
    }),
  },
  { title: 'SendError' },
);

/** Collects the routes declared after it, and serves the OpenAPI document that is generated from them. */
export async function installOpenapi(app: App): Promise<void> {
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Partner Management API for Messaging Bots',
        version: apiVersion,
        description:
          'Drives a Parley deployment: teams, documents, bots, devices and active messages. Members marked `x-extension: true` go beyond the description of version 1.3.0.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'This deployment' }],
      security: [{ accessToken: [] }],
      components: {
        securitySchemes: {
          accessToken: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'The `access_token` that `POST /api/openapi/auth/token` answers for an API key.',
          },
        },
      },
    },
    transform: ({ schema, url, route }) => {
      const { config } = route as { config?: import('fastify').FastifyContextConfig };
      // Undeclared routes (pages, health) have no operationId and are left out of the document.
      if (schema === undefined || config === undefined || !('operationId' in schema)) {
        return { schema: { hide: true } as FastifySchema, url };
      }
      return { schema: describeOperation(schema, config, url, { ErrorBody, NestedErrorBody }), url };
    },
    transformObject: (document) =>
      'openapiObject' in document
        ? hoistHeaders(hoistSchemas(markParameters(document.openapiObject)))
        : document.swaggerObject,
  });
  app.get('/api/openapi/openapi.json', { config: { access: 'public' } }, async () => app.swagger());
}
