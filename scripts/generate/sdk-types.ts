import { capitalize, declaredType, documented, memberOf, type Schema, typeOf } from './schema-types.ts';

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}

interface Operation {
  operationId: string;
  summary: string;
  parameters?: readonly Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

interface OpenapiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** The client itself exchanges the key. */
const hidden = new Set(['createAccessToken']);

/** Returns the types and the table of operations of the SDK, made from the OpenAPI document. */
export function generateSdkTypes(openapi: string): string {
  const { paths, components } = JSON.parse(openapi) as OpenapiDocument;
  const described = Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        path,
        method: method.toUpperCase(),
        operation,
      })),
    )
    .filter(({ operation }) => !hidden.has(operation.operationId));
  for (const { operation } of described) requireDistinctInputs(operation, components.schemas);
  const rows = described.map(({ path, method, operation }) => {
    const words = [method, path.replace('/api/openapi', ''), ...traitsOf(operation)];
    return `  ${operation.operationId}: '${words.join(' ')}',`;
  });
  return indented(`// Generated from openapi.json by npm run generate.
import type { CallOptions, Pages, Upload } from './types.ts';

${Object.entries(components.schemas)
  .map(([name, schema]) => declaredType(name, schema))
  .join('\n')}
${described.map(({ operation }) => declaredInput(operation) + declaredResult(operation)).join('\n')}
/** One method for each operation of the API. */
export interface Operations {
${described.map(({ operation }) => methodOf(operation)).join('\n')}
}

/** Method, path and traits of each operation. */
export const operations = {
${rows.join('\n')}
} as const;
`);
}

/** Indents every line by the number of open braces. */
function indented(source: string): string {
  let depth = 0;
  const lines = source.split('\n').map((text) => {
    const line = text.trim();
    if (line.startsWith('}')) depth -= 1;
    const placed = line === '' ? '' : '  '.repeat(depth) + line;
    if (line.endsWith('{')) depth += 1;
    return placed;
  });
  return lines.join('\n');
}

/**
 * `keyed`: the service accepts an Idempotency-Key. `form`: the body is multipart. `raw`: the result is the response.
 * `paged`: the result is a list in pages. `cursor`: pages can follow a cursor instead of numbers.
 */
function traitsOf(operation: Operation): string[] {
  const names = (operation.parameters ?? []).map(({ name }) => name);
  return [
    ...(names.includes('idempotency-key') ? ['keyed'] : []),
    ...(operation.requestBody?.content['multipart/form-data'] === undefined ? [] : ['form']),
    ...(successOf(operation) === undefined ? ['raw'] : []),
    ...(isPaged(operation) ? ['paged'] : []),
    ...(names.includes('page') && names.includes('after') ? ['cursor'] : []),
  ];
}

const inputName = ({ operationId }: Operation): string => `${capitalize(operationId)}Input`;

/** Path, query and body become one object. Throws if two of them have a member of the same name. */
function requireDistinctInputs(operation: Operation, schemas: Record<string, Schema>): void {
  const body = bodyOf(operation);
  const { properties = {} } = schemas[body?.$ref?.split('/').at(-1) ?? ''] ?? body ?? {};
  const parameters = (operation.parameters ?? []).filter(({ in: place }) => place !== 'header');
  const both = parameters.find(({ name }) => name in properties);
  if (both === undefined) return;
  throw new Error(`${operation.operationId} has ${both.name} as a parameter and as a member of its body`);
}

function declaredInput(operation: Operation): string {
  const parameters = (operation.parameters ?? []).filter(({ in: place }) => place !== 'header');
  const body = bodyOf(operation);
  const members = [
    ...parameters.map((parameter) => ({ ...parameter, required: parameter.required === true })),
    ...Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
      name,
      schema,
      required: body?.required?.includes(name) === true,
    })),
  ];
  if (members.length === 0 && body?.$ref === undefined) return '';
  const lines = members.map(({ name, schema, required }) => memberOf(name, schema, required)).join('');
  const inline = `{\n${lines}}`;
  if (body?.$ref === undefined) return `export interface ${inputName(operation)} ${inline}\n`;
  const whole = members.length === 0 ? typeOf(body) : `${inline} & ${typeOf(body)}`;
  return `export type ${inputName(operation)} = ${whole};\n`;
}

function methodOf(operation: Operation): string {
  const hasInput = declaredInput(operation) !== '';
  const needed =
    (operation.parameters ?? []).some(({ required }) => required === true) ||
    (bodyOf(operation)?.required ?? []).length > 0 ||
    bodyOf(operation)?.$ref !== undefined;
  const input = hasInput ? `input${needed ? '' : '?'}: ${inputName(operation)}` : 'input?: undefined';
  const name = operation.operationId;
  return `${documented(operation.summary)}  ${name}(${input}, options?: CallOptions): ${resultOf(operation)};`;
}

function resultOf(operation: Operation): string {
  const success = successOf(operation)?.properties;
  if (success === undefined) return 'Promise<Response>';
  const { data = {}, meta } = success;
  if (isPaged(operation)) return `Pages<${typeOf(data.items ?? {})}, ${typeOf(meta ?? {})}>`;
  return `Promise<${isNamed(resultSchema(operation)) ? typeOf(resultSchema(operation)) : resultName(operation)}>`;
}

const resultName = ({ operationId }: Operation): string => `${capitalize(operationId)}Result`;

function declaredResult(operation: Operation): string {
  const schema = resultSchema(operation);
  if (successOf(operation) === undefined || isPaged(operation) || isNamed(schema)) return '';
  return declaredType(resultName(operation), schema);
}

/** The result is `data`, or `data` and `meta` if the response has both. */
function resultSchema(operation: Operation): Schema {
  const { data = {}, meta } = successOf(operation)?.properties ?? {};
  return meta === undefined
    ? data
    : { type: 'object', properties: { data, meta }, required: ['data', 'meta'] };
}

const isNamed = ({ $ref, items }: Schema): boolean => $ref !== undefined || items?.$ref !== undefined;

const bodyOf = ({ requestBody }: Operation): Schema | undefined =>
  Object.values(requestBody?.content ?? {})[0]?.schema;

const successOf = ({ responses }: Operation): Schema | undefined =>
  responses['200']?.content?.['application/json']?.schema;

const isPaged = (operation: Operation): boolean =>
  successOf(operation)?.properties?.['meta'] !== undefined &&
  successOf(operation)?.properties?.['data']?.type === 'array';
