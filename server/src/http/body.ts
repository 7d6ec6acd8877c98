import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { parse } from 'secure-json-parse';
import type { App } from './app.ts';
import { badRequest } from './errors.ts';

/** JSON bodies are at most this long, in bytes. */
const jsonLimit = 1024 * 1024;

/** Deeper values are refused before anything walks them. */
const maxDepth = 32;

/**
 * One parser for every content type: an operation without a body takes an empty one or `{}` under any, all others take
 * JSON only. Refusals are 400, never 413 or 415. Multipart routes install their own parser beside this one.
 */
export function installBodyParser(app: App): void {
  app.removeAllContentTypeParsers();
  // A body that comes with a GET is looked at as any other is.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  app.addHook('onRequest', (request, _reply, done) => {
    forgetUnsoundType(request);
    done(
      isEncoded(request)
        ? badRequest('content_type', 'The body must be sent without Content-Encoding')
        : undefined,
    );
  });
  app.addContentTypeParser<Buffer>(
    '*',
    { parseAs: 'buffer', bodyLimit: jsonLimit },
    (request, body, done) => {
      try {
        done(
          null,
          parseBody(body, request.headers['content-type'], request.routeOptions.schema?.body !== undefined),
        );
      } catch (error) {
        done(error as Error, undefined);
      }
    },
  );
}

/** A content type that is no media type counts as none: Fastify would refuse it before anybody looks at the body. */
function forgetUnsoundType({ mediaType, raw }: FastifyRequest): void {
  if (mediaType === undefined) delete raw.headers['content-type'];
}

/** Nothing here decodes bodies; multipart ones neither. */
function isEncoded({ headers }: FastifyRequest): boolean {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function parseBody(bytes: Buffer, contentType: string | undefined, takesBody: boolean): unknown {
  const text = bytes.toString();
  if (text.trim() === '') return undefined;
  if (takesBody && !isJson(contentType)) {
    throw badRequest('content_type', 'The body must be sent as application/json');
  }
  // What is not UTF-8 would be stored and answered as something else.
  if (!isUtf8(bytes)) throw badRequest('malformed_json', 'The body is not valid JSON: it must be UTF-8');
  let value: unknown;
  try {
    value = parse(text, undefined, { protoAction: 'error', constructorAction: 'error' });
  } catch {
    throw badRequest('malformed_json', 'The body is not valid JSON');
  }
  if (deeperThan(text, maxDepth))
    throw badRequest('malformed_json', `The body is nested deeper than ${maxDepth} levels`);
  return value;
}

function isJson(contentType: string | undefined): boolean {
  const [essence = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (essence.trim() !== 'application/json') return false;
  return parameters.every((p) => !p.trim().startsWith('charset=') || /^charset="?utf-?8"?$/.test(p.trim()));
}

/** Whether lists and objects stand within one another beyond `depth`. Told by the text, which nothing is built for. */
function deeperThan(json: string, depth: number): boolean {
  let open = 0;
  let isText = false;
  for (let at = 0; at < json.length; at += 1) {
    const sign = json[at];
    if (isText && sign === '\\') at += 1;
    else if (sign === '"') isText = !isText;
    else if (isText) continue;
    else if (sign === '{' || sign === '[') open += 1;
    else if (sign === '}' || sign === ']') open -= 1;
    if (open > depth) return true;
  }
  return false;
}
