import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import fastifySwagger from '@fastify/swagger';
import type { FastifyContextConfig, FastifySchema } from 'fastify';
import type { RolesOf } from '../authentication.ts';
import type { App } from '../fastify-app.ts';
import { hoistExtensionMarks, hoistHeaders, hoistSchemas, releaseOptionalBodies } from './components.ts';
import { errorResponses } from './error-responses.ts';
import { parameterExample } from './examples/parameter.examples.ts';
import { describeOperation } from './operation-description.ts';

const apiVersion = '1.3.0';

/** Must be installed before the routes that the OpenAPI document describes. */
export async function installOpenapi(
  app: App,
  { webhooks, rolesOf }: { webhooks: Record<string, object>; rolesOf: RolesOf },
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
      security: [{ accessToken: [] }, { session: [] }],
      tags,
      components: {
        securitySchemes: {
          accessToken: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'The `access_token` that `POST /api/openapi/auth/token` returns for an API key.',
          },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-parley_session',
            description:
              'The cookie of a person who signed in. It counts only in requests from pages of this deployment, and for every operation that takes a bearer token, which beats it.',
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
      return { schema: describeOperation(schema, config, { url, roles: rolesOf(schema.operationId) }), url };
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

interface ServedDocument {
  plain: Buffer;
  compressed: Buffer;
  etag: string;
}

function serveDocument(app: App): void {
  let prepared: Promise<ServedDocument> | null = null;
  app.get('/api/openapi/openapi.json', { config: { access: 'public' } }, async ({ headers }, reply) => {
    prepared ??= prepare(JSON.stringify(app.swagger()));
    const { plain, compressed, etag } = await prepared;
    reply.headers({ etag, vary: 'Accept-Encoding', 'cache-control': 'no-cache' });
    if (headers['if-none-match']?.includes(etag) === true) return reply.code(304).send();
    reply.type('application/json; charset=utf-8');
    return acceptsGzip(headers['accept-encoding'])
      ? reply.header('content-encoding', 'gzip').send(compressed)
      : reply.send(plain);
  });
}

/** The tag is weak, because it is the same for both encodings. */
async function prepare(json: string): Promise<ServedDocument> {
  return {
    plain: Buffer.from(json),
    compressed: await promisify(gzip)(json, { level: 9 }),
    etag: `W/"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"`,
  };
}

const acceptsGzip = (accepted = ''): boolean =>
  accepted.split(',').some((encoding) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$)|$)/i.test(encoding));

/** The groups of operations, in the order of the reference page. */
const tags = [
  {
    name: 'Access tokens',
    description: 'Exchange an API key for a bearer token that is valid for 24 hours.',
  },
  { name: 'Signing in', description: 'Sessions of people, in a cookie, for pages of this deployment.' },
  { name: 'API keys', description: 'Credentials of integrations, for all teams or for one.' },
  { name: 'Plans', description: 'The features, active messages and quotas of the teams on a plan.' },
  { name: 'Teams', description: 'Tenants, with their administrators, quotas, settings and usage.' },
  { name: 'Staff', description: 'The people of the partner who work with all teams.' },
  {
    name: 'Documents',
    description: 'Files that bots quote: pdf, txt, docx, doc, md, html, csv, xlsx and pptx.',
  },
  {
    name: 'Bots',
    description:
      'AI assistants with instructions, question/answer pairs, actions and documents. Devices use the published version; updates change the draft.',
  },
  {
    name: 'Quality',
    description:
      'Cases of a bot, runs that compare its answers with earlier ones, and the gate before publishing.',
  },
  {
    name: 'Devices',
    description:
      'Accounts of the messaging network. A person links one by scanning a QR code with the phone.',
  },
  { name: 'Pools', description: 'Processes that hold the connections of devices to the network.' },
  { name: 'Active messages', description: "Send messages that count against the month's quota of the team." },
  {
    name: 'Messages',
    description: 'Messages in both directions, their media, and how the bot found its answers.',
  },
  {
    name: 'Conversations',
    description: 'Chats of contacts with devices. A person can take over from the bot.',
  },
  { name: 'Contacts', description: 'Export or delete everything that is stored about a contact.' },
  { name: 'Events', description: 'The log of changes, as a list with a cursor or as a live stream.' },
  {
    name: 'Webhooks',
    description:
      'Parley posts events to your URLs, signed by the scheme of [Standard Webhooks](https://www.standardwebhooks.com).',
  },
  {
    name: 'Audit log',
    description:
      'Changes made over the API, with their callers. Texts and numbers of contacts appear as hashes.',
  },
];
