import { Ajv, type Options } from 'ajv';
import ajvFormats from 'ajv-formats';
import type { FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { isUuid } from '../../shared/ids.ts';
import type { App } from '../app.ts';
import { type InputIssue, maxIssues, notFound, requireValid, takeReportable } from '../errors.ts';
import { pathOf } from './input-path.ts';
import { createIdNormalizer } from './normalized-ids.ts';
import { findEscapeIssues } from './percent-escapes.ts';
import { createIssueFinder, type Fault, isBeyondLimit } from './schema-issues.ts';
import { findTextIssues } from './text-issues.ts';
import { keepValidInput } from './valid-input.ts';

/** The faults of a value by its schema; lists beyond the limit of an answer end early. */
type Judge = (schema: TSchema, value: unknown) => Fault[];

/**
 * Validates every request after authentication: body and query together, by their schemas and by the operation's rules
 * beyond those, so that one answer names every fault, or the first where they are many; then the ids of the path, which
 * name nothing when they are not UUIDs (404, after the body). Nothing is coerced in JSON; query parameters are parsed
 * strictly. Ids are in one case then.
 */
export function installValidation(app: App): void {
  const judge = createJudge();

  // Fastify's own validation would stop at the first part that is wrong.
  app.setValidatorCompiler(() => () => true);

  app.addHook('preHandler', (request, _reply, done) => {
    const schema = request.routeOptions.schema;
    if (request.is404 || schema?.querystring === undefined) return done();
    // Route schemas are declared with TypeBox by `operation`; Fastify types them as unknown.
    requireValid(inputIssues(request, judge, schema as { querystring: TSchema; body?: TSchema }));
    checkPathIds(request);
    done();
  });
}

/**
 * Fills in defaults and stops at the first fault, as nearly every request has none; only of those that have one the
 * faults are looked for one by one.
 */
function createJudge(): Judge {
  const quick = createAjv({ useDefaults: true });
  const faultsOf = createIssueFinder(createAjv({ allErrors: true, verbose: true }));
  const oneCase = createIdNormalizer();
  return (schema, value) => {
    // Ajv keeps what it has compiled by the schema.
    const isSound = quick.validate(schema, value);
    const faults = isSound ? [] : takeReportable(faultsOf(schema, value));
    if (!isSound && faults.length === 0) throw new Error('a schema refuses what no fault is found with');
    // Nothing reads what is beyond a limit, nor anything where the faults are too many.
    if (faults.length <= maxIssues && !faults.some(isBeyondLimit)) oneCase(schema, value);
    return faults;
  };
}

function createAjv(options: Options): Ajv {
  const ajv = new Ajv({ coerceTypes: false, removeAdditional: false, strict: false, ...options });
  ajvFormats.default(ajv, ['date-time', 'email', 'uri']);
  // The package's own takes `urn:uuid:` too, which the database does not.
  ajv.addFormat('uuid', isUuid);
  return ajv;
}

/** Every fault of query and body, each told once; where they are too many to tell, no others are looked for. */
function inputIssues(
  request: FastifyRequest,
  judge: Judge,
  { querystring, body }: { querystring: TSchema; body?: TSchema },
): InputIssue[] {
  const { rawBody = false, rules } = request.routeOptions.config;
  const queryFaults = asksNothing(request, querystring)
    ? []
    : judge(querystring, parseQuery(request, querystring));
  const bodyFaults = body === undefined ? [] : judge(body, request.body);
  const issues = [...queryFaults.map(issueOfQuery), ...bodyFaults.map(issueOfBody)];
  if (body === undefined && !rawBody) issues.push(...strayBody(request.body));
  const told = new Set(issues.map(({ path }) => path));
  const unread = new Set(bodyFaults.filter(isBeyondLimit).map(({ value }) => value));
  const rest = function* () {
    yield* issues;
    yield* findEscapeIssues(request.originalUrl).filter(({ path }) => !told.has(path));
    yield* findTextIssues(request.query, { told, unread });
    if (body !== undefined) yield* findTextIssues(request.body, { told, unread });
    if (rules === undefined) return;
    const sound = {
      body: keepValidInput(request.body, bodyFaults),
      query: keepValidInput(request.query, queryFaults),
    };
    // Fastify types parameters as unknown; they are text by their names.
    yield* rules({ ...sound, path: request.params as Record<string, string> });
  };
  return takeReportable(rest());
}

const issueOfBody = ({ at, message }: Fault): InputIssue => ({ path: pathOf(at, '(body)'), message });

function issueOfQuery({ at, message, value }: Fault): InputIssue {
  return {
    path: pathOf(at, '(query)'),
    // Only a parameter that is sent several times has a list for its value.
    message: Array.isArray(value) ? 'is given more than once' : message,
  };
}

/** No parameters where none are known, so that there is nothing to check nor to fill in. */
const asksNothing = ({ url }: FastifyRequest, querystring: TSchema): boolean =>
  !url.includes('?') && Object.keys((querystring as { properties?: object }).properties ?? {}).length === 0;

/** Query values arrive as text: what the schema calls an integer or a boolean must be written as exactly one. */
function parseQuery(request: FastifyRequest, schema: TSchema): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  const typeOf = (name: string) => (Object.hasOwn(properties, name) ? properties[name]?.type : undefined);
  // From entries, so that a parameter called `__proto__` is one like any other, and as unknown.
  const parsed: Record<string, unknown> = Object.fromEntries(
    Object.entries(request.query as Record<string, unknown>).map(([name, value]) => [
      name,
      typeof value === 'string' ? parseText(value, typeOf(name)) : value,
    ]),
  );
  request.query = parsed;
  return parsed;
}

function parseText(value: string, type: string | undefined): unknown {
  if (type === 'integer' && /^(0|-?[1-9]\d{0,15})$/.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

/** Operations without a body accept nothing, an empty one, or `{}`. */
function strayBody(body: unknown): InputIssue[] {
  if (body === undefined || (isObject(body) && Object.keys(body).length === 0)) return [];
  return [{ path: '(body)', message: 'must be empty: this operation takes none' }];
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function checkPathIds(request: FastifyRequest): void {
  const params = request.params as { id?: string };
  if (params.id === undefined) return;
  if (!isUuid(params.id)) throw notFound(request.routeOptions.config.resource ?? 'resource');
  params.id = params.id.toLowerCase();
}
