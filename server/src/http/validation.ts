import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import ajvFormats from 'ajv-formats';
import type { FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { isUuid } from '../shared/ids.ts';
import type { App } from './app.ts';
import { type InputIssue, notFound, requireSound } from './errors.ts';
import { installOneCase, withIdsInOneCase } from './one-case.ts';
import { escapeIssues } from './percent-escapes.ts';
import { soundPart, unescaped } from './sound-input.ts';

/**
 * Validates every request after authentication: body and query together, by their schemas and by the operation's rules
 * beyond those, so that one answer names every fault; then the ids of the path, which name nothing when they are not
 * UUIDs (404, after the body). Nothing is coerced in JSON; query parameters are parsed strictly. Ids are in one case then.
 */
export function installValidation(app: App): void {
  const ajv = new Ajv({
    allErrors: true,
    coerceTypes: false,
    removeAdditional: false,
    useDefaults: true,
    strict: false,
    verbose: true,
  });
  ajvFormats.default(ajv, ['date-time', 'email', 'uri']);
  // The package's own takes `urn:uuid:` too, which the database does not.
  ajv.addFormat('uuid', isUuid);
  installOneCase(ajv);
  const compiled = new WeakMap<object, ValidateFunction>();
  const compile = (schema: TSchema): ValidateFunction => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const validate = ajv.compile(withIdsInOneCase(schema));
    compiled.set(schema, validate);
    return validate;
  };

  // Fastify's own validation would stop at the first part that is wrong.
  app.setValidatorCompiler(() => () => true);

  app.addHook('preHandler', (request, _reply, done) => {
    const schema = request.routeOptions.schema;
    if (request.is404 || schema?.querystring === undefined) return done();
    // Route schemas are declared with TypeBox by `operation`; Fastify types them as unknown.
    requireSound(inputIssues(request, compile, schema as { querystring: TSchema; body?: TSchema }));
    checkPathIds(request);
    done();
  });
}

/** Every fault of query and body, each told once. */
function inputIssues(
  request: FastifyRequest,
  compile: (schema: TSchema) => ValidateFunction,
  { querystring, body }: { querystring: TSchema; body?: TSchema },
): InputIssue[] {
  const { rawBody = false, rules } = request.routeOptions.config;
  const queryErrors = asksNothing(request, querystring)
    ? []
    : errorsOf(compile(querystring), parseQuery(request, querystring));
  const bodyErrors = body === undefined ? [] : errorsOf(compile(body), request.body);
  const issues = [...queryErrors, ...bodyErrors].map(issueOf);
  if (body === undefined && !rawBody) issues.push(...strayBody(request.body));
  const told = new Set(issues.map(({ path }) => path));
  const texts = [
    ...escapeIssues(request.originalUrl),
    ...textIssues(request.query, ''),
    ...(body === undefined ? [] : textIssues(request.body, '')),
  ];
  issues.push(...texts.filter(({ path }) => !told.has(path)));
  if (rules === undefined) return issues;
  const sound = { body: soundPart(request.body, bodyErrors), query: soundPart(request.query, queryErrors) };
  // Fastify types parameters as unknown; they are text by their names.
  return [...issues, ...rules({ ...sound, path: request.params as Record<string, string> })];
}

const errorsOf = (validate: ValidateFunction, value: unknown): ErrorObject[] =>
  validate(value) ? [] : (validate.errors ?? []);

/** No text that is kept can hold a NUL, which PostgreSQL does not take, or half a surrogate pair, which UTF-8 cannot say. */
function textIssues(value: unknown, path: string): InputIssue[] {
  if (typeof value === 'string') {
    const fault = faultOfText(value);
    return fault === null ? [] : [{ path: path.toWellFormed(), message: fault }];
  }
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const at = joinPath(path, name);
    return [...(Array.isArray(value) ? [] : textIssues(name, at)), ...textIssues(member, at)];
  });
}

function faultOfText(text: string): string | null {
  if (text.includes('\0')) return 'must not contain U+0000';
  return text.isWellFormed() ? null : 'must not contain half a surrogate pair';
}

/** A path of members (`user.email`, `questions[0].answer`) and what is wrong there. */
function issueOf(error: ErrorObject): InputIssue {
  const segments = error.instancePath.split('/').slice(1);
  if (error.keyword === 'required') segments.push(String(error.params['missingProperty']));
  if (error.keyword === 'additionalProperties') segments.push(String(error.params['additionalProperty']));
  const path = segments.map(unescaped).reduce(joinPath, '');
  return { path: path === '' ? '(body)' : path, message: messageOf(error) };
}

function joinPath(path: string, segment: string): string {
  if (/^\d+$/.test(segment)) return `${path}[${segment}]`;
  return path === '' ? segment : `${path}.${segment}`;
}

function messageOf(error: ErrorObject): string {
  if (error.keyword === 'required') return 'is required';
  if (error.keyword === 'additionalProperties') return 'is not known here';
  // What a pattern means, in words, stands beside it in the schema.
  const meaning: unknown = error.keyword === 'pattern' ? error.parentSchema?.['x-pattern-means'] : undefined;
  if (typeof meaning === 'string') return meaning;
  return error.message ?? 'is not valid';
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
