import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { parse } from 'secure-json-parse';
import { type ApiError, badRequest } from './errors.ts';
import type { App } from './fastify-app.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Without `\u` escapes, no string of a JSON body can hold U+0000 or half a surrogate pair. */
    bodyHasUnicodeEscapes: boolean;
  }
}

const maxJsonBytes = 1024 * 1024;

/** For callers without a token. Enough for both credentials, escaped. */
const maxPublicBytes = 4096;

const maxDepth = 32;

/** Operations without a body accept an empty body or `{}` of any type. Rejections are 400, never 413 or 415. */
export function installBodyParser(app: App): void {
  app.decorateRequest('bodyHasUnicodeEscapes', true);
  app.removeAllContentTypeParsers();
  // Fastify ignores the body of a GET by default. Reading it lets validation reject it.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  app.addHook('onRoute', (route) => {
    if (route.config?.access === 'public') route.bodyLimit ??= maxPublicBytes;
  });
  app.addHook('onRequest', (request, _reply, done) => {
    dropInvalidContentType(request);
    done(
      isEncoded(request)
        ? badRequest(
            'content_type',
            'The body must be sent without Content-Encoding, that is without compression',
          )
        : undefined,
    );
  });
  app.addContentTypeParser<Buffer>(
    '*',
    { parseAs: 'buffer', bodyLimit: maxJsonBytes },
    (request, body, done) => {
      try {
        const text = body.toString();
        const takesBody = readsBody(request, text);
        request.bodyHasUnicodeEscapes = text.includes('\\u');
        done(null, parseBody(body, text, request.headers['content-type'], takesBody));
      } catch (error) {
        done(error as Error, undefined);
      }
    },
  );
}

/** `{}` is no body for an operation that needs none. */
function readsBody({ routeOptions }: FastifyRequest, text: string): boolean {
  // Fastify types schemas as unknown. `operation` declares them with TypeBox.
  const schema = routeOptions.schema?.body as { 'x-optional'?: boolean } | undefined;
  if (schema === undefined) return false;
  return schema['x-optional'] !== true || text.trim() !== '{}';
}

/** Fastify would reject an unparsable content type with 415 before it reads the body. */
function dropInvalidContentType(request: FastifyRequest): void {
  const { headers } = request.raw;
  if (headers['content-type'] !== undefined && request.mediaType === undefined)
    delete headers['content-type'];
}

function isEncoded({ headers }: FastifyRequest): boolean {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function parseBody(
  bytes: Buffer,
  text: string,
  contentType: string | undefined,
  takesBody: boolean,
): unknown {
  if (text.trim() === '') return undefined;
  if (takesBody && !isJson(contentType)) {
    throw badRequest('content_type', 'The body must be sent as application/json');
  }
  // Decoding replaced invalid bytes silently.
  if (!isUtf8(bytes)) throw badRequest('malformed_json', 'The body is not valid JSON: it must be UTF-8');
  if (isDeeperThan(text, maxDepth))
    throw badRequest('malformed_json', `The body is nested deeper than ${maxDepth} levels`);
  try {
    return parse(text, undefined, { protoAction: 'error', constructorAction: 'error' });
  } catch {
    throw malformedJson(text);
  }
}

/** The parser's own messages often lack the position. */
function malformedJson(text: string): ApiError {
  const position = findJsonError(text);
  if (position === null)
    return badRequest(
      'malformed_json',
      'The body is not valid JSON: members __proto__ and constructor are not allowed',
    );
  const { line, column } = toLineAndColumn(text, position);
  const at = `at line ${line}, column ${column} (position ${position})`;
  return badRequest('malformed_json', `The body is not valid JSON ${at}`, { position });
}

function isJson(contentType: string | undefined): boolean {
  const [essence = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (essence.trim() !== 'application/json') return false;
  return parameters.every((p) => !p.trim().startsWith('charset=') || /^charset="?utf-?8"?$/.test(p.trim()));
}

/** Scans the text, because walking the parsed value would recurse. */
function isDeeperThan(json: string, depth: number): boolean {
  let open = 0;
  let inString = false;
  for (let at = 0; at < json.length; at += 1) {
    const char = json[at];
    if (inString && char === '\\') at += 1;
    else if (char === '"') inString = !inString;
    else if (inString) continue;
    else if (char === '{' || char === '[') open += 1;
    else if (char === '}' || char === ']') open -= 1;
    if (open > depth) return true;
  }
  return false;
}

const whitespace = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids control characters in strings
const text = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[^"\\\u0000-\u001f]*)*"/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null/y;

/** Returns the position of the first token that makes `json` invalid (its length if the end is missing), or null. */
export function findJsonError(json: string): number | null {
  const closings: string[] = [];
  let expected: 'value' | 'key' | ':' | ',' = 'value';
  let mayClose = false;
  let at = 0;
  for (;;) {
    at = match(whitespace, json, at) ?? at;
    const char = json[at];
    const isWhole = expected === ',' && closings.length === 0;
    if (char === undefined || isWhole) return isWhole && char === undefined ? null : at;
    let end: number | null = at + 1;
    if (mayClose && char === closings.at(-1)) {
      closings.pop();
      expected = ',';
    } else if (expected === ':' || expected === ',') {
      if (char !== expected) return at;
      expected = char === ',' && closings.at(-1) === '}' ? 'key' : 'value';
      mayClose = false;
      at = end;
      continue;
    } else if (expected === 'value' && (char === '{' || char === '[')) {
      closings.push(char === '{' ? '}' : ']');
      expected = char === '{' ? 'key' : 'value';
    } else {
      end = match(text, json, at) ?? (expected === 'value' ? match(scalar, json, at) : null);
      if (end === null) return at;
      expected = expected === 'key' ? ':' : ',';
    }
    mayClose = expected !== ':';
    at = end;
  }
}

/** Returns the end of the match that begins at `start`. */
function match(pattern: RegExp, json: string, start: number): number | null {
  pattern.lastIndex = start;
  return pattern.test(json) ? pattern.lastIndex : null;
}

/** Returns line and column of a position, both from 1. */
export function toLineAndColumn(json: string, position: number): { line: number; column: number } {
  const before = json.slice(0, position);
  return { line: before.split('\n').length, column: position - before.lastIndexOf('\n') };
}
