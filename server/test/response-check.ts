import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';

export interface OpenapiDocument {
  paths: Record<string, Record<string, OpenapiOperation>>;
  components: { schemas: Record<string, object>; responses: Record<string, OpenapiResponse> };
}

interface OpenapiResponse {
  headers?: object;
  content?: Record<string, { schema: object; example?: unknown }>;
}

export interface OpenapiOperation {
  operationId: string;
  summary: string;
  'x-extension'?: boolean;
  security?: unknown[];
  description?: string;
  tags?: string[];
  requestBody?: { content: Record<string, { schema: object; example?: unknown }> };
  parameters?: {
    in: string;
    name: string;
    required?: boolean;
    schema: { examples?: unknown[] };
    example?: unknown;
    'x-extension'?: boolean;
  }[];
  responses: Record<string, OpenapiResponse | { $ref: string }>;
}

interface Exchange {
  method: string;
  path: string;
  status: number;
  /** The parsed JSON body, if any. */
  body: unknown;
}

/** Returns a function that throws if the value violates the schema, with `where` in the message. */
export function createSchemaCheck(
  document: OpenapiDocument,
): (schema: object, value: unknown, where: string) => void {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajvFormats.default(ajv);
  ajv.addSchema({ $id: 'openapi', components: document.components });
  const compiled = new Map<object, ValidateFunction>();
  const validatorOf = (schema: object): ValidateFunction => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const pointed = JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/'));
    const validate = ajv.compile(pointed);
    compiled.set(schema, validate);
    return validate;
  };
  return (schema, value, where) => {
    const validate = validatorOf(schema);
    assert.ok(validate(value), `${where}: ${ajv.errorsText(validate.errors)}; body ${JSON.stringify(value)}`);
  };
}

/** Errors are references to shared responses. */
export function resolveResponse(
  { components }: OpenapiDocument,
  response: OpenapiOperation['responses'][string] | undefined,
): OpenapiResponse | undefined {
  if (response === undefined || !('$ref' in response)) return response;
  return components.responses[response.$ref.slice(response.$ref.lastIndexOf('/') + 1)];
}

/** Throws on an undeclared status or a body that violates its schema. */
export function createResponseCheck(document: OpenapiDocument): (exchange: Exchange) => void {
  const checkSchema = createSchemaCheck(document);
  const templates = Object.entries(document.paths).map(([template, operations]) => ({
    operations,
    pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    literal: !template.includes('{'),
  }));
  templates.sort((a, b) => Number(b.literal) - Number(a.literal));

  return ({ method, path, status, body }) => {
    const pathname = path.split('?')[0] ?? path;
    const operation = templates.find(({ pattern }) => pattern.test(pathname))?.operations[
      method.toLowerCase()
    ];
    // An unknown route has no declaration.
    if (operation === undefined) return;
    const where = `${method} ${path} → ${status}`;
    const response = resolveResponse(document, operation.responses[String(status)]);
    assert.ok(response, `${where}: the status is not declared; body ${JSON.stringify(body)}`);
    const schema = response.content?.['application/json']?.schema;
    if (schema !== undefined) checkSchema(schema, body, where);
  };
}
