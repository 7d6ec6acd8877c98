import type { FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { isUuid } from '../../shared/ids.ts';
import { type InputIssue, maxIssues, notFound, requireValid, takeReportable } from '../errors.ts';
import type { App } from '../fastify-app.ts';
import { formatPath, isTruncated } from './input-path.ts';
import { findEscapeIssues } from './percent-escapes.ts';
import { createAjv, createIssueFinder, exceedsLimit, type ValidationIssue } from './schema-issues.ts';
import { keepValidInput } from './valid-input.ts';

type Validate = (schema: TSchema, value: unknown) => ValidationIssue[];

/** Reports all issues of query and body in one response, then rejects a path id that is no UUID (404). */
export function installValidation(app: App): void {
  const validate = createValidate();

  // Fastify's own validation would stop at the first invalid part.
  app.setValidatorCompiler(() => () => true);

  app.addHook('preHandler', (request, _reply, done) => {
    const schema = request.routeOptions.schema;
    if (request.is404 || schema?.querystring === undefined) return done();
    // Fastify types schemas as unknown. `operation` declares them with TypeBox.
    requireValid(findInputIssues(request, validate, schema as { querystring: TSchema; body?: TSchema }));
    checkPathIds(request);
    done();
  });
}

/** Fills in defaults. The fast validator stops at the first error. Only invalid requests pay for collecting all issues. */
function createValidate(): Validate {
  const fastAjv = createAjv({ useDefaults: true });
  const findIssues = createIssueFinder();
  const normalizeIds = createIdNormalizer();
  return (schema, value) => {
    const isValid = fastAjv.validate(schema, value);
    const issues = isValid ? [] : takeReportable(findIssues(schema, value));
    if (!isValid && issues.length === 0)
      throw new Error('the schema rejects a value in which no issue was found');
    // Values over a limit are never read, and can be large.
    if (issues.length <= maxIssues && !issues.some(exceedsLimit)) normalizeIds(schema, value);
    return issues;
  };
}

function findInputIssues(
  request: FastifyRequest,
  validate: Validate,
  { querystring, body }: { querystring: TSchema; body?: TSchema },
): InputIssue[] {
  const { rawBody = false, rules } = request.routeOptions.config;
  const queryIssues = hasNoQuery(request, querystring)
    ? []
    : validate(querystring, parseQuery(request, querystring));
  if (body !== undefined && 'x-optional' in body && request.body === undefined) request.body = {};
  const bodyIssues = body === undefined ? [] : validate(body, request.body);
  const issues = [...queryIssues.map(toQueryIssue), ...bodyIssues.map(toBodyIssue)];
  if (body === undefined && !rawBody) issues.push(...findStrayBody(request.body));
  // Strings without escapes can always be stored, and few requests have any.
  const urlHasEscapes = request.originalUrl.includes('%');
  const bodyHasEscapes = body !== undefined && request.bodyHasUnicodeEscapes;
  if (issues.length === 0 && rules === undefined && !urlHasEscapes && !bodyHasEscapes) return [];
  const reported = new Set(issues.map(({ path }) => path));
  const skipped = new Set(bodyIssues.filter(exceedsLimit).map(({ value }) => value));
  const rest = function* () {
    yield* issues;
    if (urlHasEscapes) {
      yield* findEscapeIssues(request.originalUrl).filter(({ path }) => !reported.has(path));
      yield* findTextIssues(request.query, { reported, skipped });
    }
    if (bodyHasEscapes) {
      yield* findTextIssues(request.body, { reported, skipped });
    }
    if (rules === undefined) return;
    const valid = {
      body: keepValidInput(request.body, bodyIssues),
      query: keepValidInput(request.query, queryIssues),
    };
    // Fastify types parameters as unknown. They are strings.
    yield* rules({ ...valid, path: request.params as Record<string, string> });
  };
  return takeReportable(rest());
}

const toBodyIssue = ({ path, message }: ValidationIssue): InputIssue => ({
  path: formatPath(path, '(body)'),
  message,
});

function toQueryIssue({ path, message, value }: ValidationIssue): InputIssue {
  return {
    path: formatPath(path, '(query)'),
    message: Array.isArray(value) ? 'is given more than once' : message,
  };
}

const hasNoQuery = ({ url }: FastifyRequest, querystring: TSchema): boolean =>
  !url.includes('?') && Object.keys((querystring as { properties?: object }).properties ?? {}).length === 0;

function parseQuery(request: FastifyRequest, schema: TSchema): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  const getType = (name: string) => (Object.hasOwn(properties, name) ? properties[name]?.type : undefined);
  // `fromEntries` treats `__proto__` like any other name.
  const parsed: Record<string, unknown> = Object.fromEntries(
    Object.entries(request.query as Record<string, unknown>).map(([name, value]) => [
      name,
      typeof value === 'string' ? parseText(value, getType(name)) : value,
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

function findStrayBody(body: unknown): InputIssue[] {
  if (body === undefined || (isObject(body) && Object.keys(body).length === 0)) return [];
  return [{ path: '(body)', message: 'must be empty: this operation takes no body' }];
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function checkPathIds(request: FastifyRequest): void {
  const params = request.params as { id?: string };
  if (params.id === undefined) return;
  if (!isUuid(params.id)) throw notFound(request.routeOptions.config.resource ?? 'resource');
  params.id = params.id.toLowerCase();
}

/** Path to an id within a value. `*` stands for every list item. */
type IdPath = readonly string[];

const everyItem = '*';

/** Lowercases ids. PostgreSQL accepts UUIDs in either case, but Parley also compares ids as text. */
function createIdNormalizer(): (schema: TSchema, value: unknown) => void {
  const pathsBySchema = new WeakMap<TSchema, IdPath[]>();
  return (schema, value) => {
    let paths = pathsBySchema.get(schema);
    if (paths === undefined) {
      paths = findIdPaths(schema);
      pathsBySchema.set(schema, paths);
    }
    for (const path of paths) lowerCaseIds(value, path);
  };
}

function findIdPaths(schema: object): IdPath[] {
  const { format, properties, items, anyOf } = schema as {
    format?: string;
    properties?: Record<string, object>;
    items?: object;
    anyOf?: object[];
  };
  const findBelow = (name: string, member: object): IdPath[] =>
    findIdPaths(member).map((path) => [name, ...path]);
  return [
    ...(format === 'uuid' ? [[]] : []),
    ...Object.entries(properties ?? {}).flatMap(([name, member]) => findBelow(name, member)),
    ...(items === undefined ? [] : findBelow(everyItem, items)),
    ...(anyOf ?? []).flatMap(findIdPaths),
  ];
}

function lowerCaseIds(parent: unknown, [name, ...rest]: IdPath): void {
  if (name === undefined || typeof parent !== 'object' || parent === null) return;
  // Arrays are objects with their indices as names.
  const members = parent as Record<string, unknown>;
  for (const key of name === everyItem ? Object.keys(parent) : [name]) {
    const value = Object.hasOwn(members, key) ? members[key] : undefined;
    if (rest.length > 0) lowerCaseIds(value, rest);
    else if (typeof value === 'string') members[key] = value.toLowerCase();
  }
}

/**
 * Finds strings and member names that cannot be stored: PostgreSQL rejects U+0000, and UTF-8 cannot encode half a
 * surrogate pair. Stops after one issue more than a response reports. Skips paths in `reported` and objects in `skipped`.
 */
function findTextIssues(
  value: unknown,
  { reported, skipped }: { reported: ReadonlySet<string>; skipped: ReadonlySet<unknown> },
): InputIssue[] {
  const issues: InputIssue[] = [];
  const names: (string | number)[] = [];

  const check = (text: string) => {
    const message = findProblem(text);
    if (message === null) return;
    const path = formatPath(names.map(String), '(body)').toWellFormed();
    if (!reported.has(path) || isTruncated(path)) issues.push({ path, message });
  };

  const walk = (part: unknown) => {
    if (typeof part === 'string') return check(part);
    if (typeof part !== 'object' || part === null || Buffer.isBuffer(part) || skipped.has(part)) return;
    if (Array.isArray(part)) walkItems(part);
    else walkMembers(part as Readonly<Record<string, unknown>>);
  };

  const walkItems = (list: readonly unknown[]) => {
    for (let index = 0; index < list.length && issues.length <= maxIssues; index += 1) {
      names.push(index);
      walk(list[index]);
      names.pop();
    }
  };

  const walkMembers = (members: Readonly<Record<string, unknown>>) => {
    for (const name of Object.keys(members)) {
      if (issues.length > maxIssues) return;
      names.push(name);
      check(name);
      walk(members[name]);
      names.pop();
    }
  };

  walk(value);
  return issues;
}

function findProblem(text: string): string | null {
  if (text.includes('\0')) return 'must not contain U+0000';
  return text.isWellFormed() ? null : 'must not contain half a surrogate pair';
}
