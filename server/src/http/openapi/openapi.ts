import fastifySwagger from '@fastify/swagger';
import type { FastifySchema } from 'fastify';
import { Type } from 'typebox';
import { describeWebhooks } from '../../events/catalogue.ts';
import { errorReasons } from '../error-reasons.ts';
import { errorCodes, maxIssues } from '../errors.ts';
import type { App } from '../fastify-app.ts';
import { hoistExtensionMarks, hoistHeaders, hoistSchemas } from './components.ts';
import { describeOperation } from './operation-description.ts';

const apiVersion = '1.3.0';

const ErrorReason = Type.Enum(Object.keys(errorReasons).sort(), {
  title: 'ErrorReason',
  type: 'string',
  description: 'A stable word for programs. docs/errors.md explains each.',
});

const ErrorDetails = Type.Object(
  {
    reason: ErrorReason,
    more_issues: Type.Optional(
      Type.Literal(true, {
        'x-extension': true,
        description: `There are more problems than the ${maxIssues} that \`issues\` can list. A list or map over its limit counts as one.`,
      }),
    ),
    position: Type.Optional(
      Type.Integer({
        'x-extension': true,
        description: 'The position of the first error in malformed JSON, in characters from 0.',
      }),
    ),
  },
  { additionalProperties: true },
);

const ErrorBody = Type.Object(
  {
    success: Type.Literal(false),
    error: Type.String({
      description: 'A message for people. It can change; programs read `code` and `details.reason`.',
    }),
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
      details: Type.Optional(Type.Object({ reason: ErrorReason }, { additionalProperties: true })),
    }),
  },
  { title: 'SendError' },
);

/** Must be installed before the routes that the OpenAPI document describes. */
export async function installOpenapi(app: App): Promise<void> {
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Partner Management API for Messaging Bots',
        version: apiVersion,
        description:
          'Manages a Parley deployment: teams, documents, bots, devices and active messages. Members marked `x-extension: true` extend the API description 1.3.0.',
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
            description: 'The `access_token` that `POST /api/openapi/auth/token` returns for an API key.',
          },
        },
      },
    },
    transform: ({ schema, url, route }) => {
      const { config } = route as { config?: import('fastify').FastifyContextConfig };
      if (schema === undefined || config === undefined || !('operationId' in schema)) {
        return { schema: { hide: true } as FastifySchema, url };
      }
      return { schema: describeOperation(schema, config, url, { ErrorBody, NestedErrorBody }), url };
    },
    transformObject: (document) =>
      'openapiObject' in document
        ? hoistHeaders(
            hoistSchemas(hoistExtensionMarks({ ...document.openapiObject, webhooks: describeWebhooks() })),
          )
        : document.swaggerObject,
  });
  app.get('/api/openapi/openapi.json', { config: { access: 'public' } }, async () => app.swagger());
}
