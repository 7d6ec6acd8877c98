import type { YieldControl } from '../../search/time-slices.ts';
import { foldDiacritics, spellOut, splitWords } from '../../search/words.ts';
import type { ToolSpec } from '../assistant-provider.ts';

export type Parameter = ToolSpec['parameters'][number];
export type Value = string | number | boolean;

export interface FilledParameters {
  values: Record<string, Value>;
  missing: readonly Parameter[];
}

/**
 * Fills a tool's parameters from a text. Each part of the text fills at most one parameter, and `rest` is the text without
 * these parts.
 */
export async function fillParameters(
  parameters: readonly Parameter[],
  text: string,
  yieldControl: YieldControl,
): Promise<FilledParameters & { rest: string }> {
  const values: Record<string, Value> = {};
  const missing: Parameter[] = [];
  let rest = text;
  const shapedFirst = [...parameters].sort((a, b) => Number(isPlain(a)) - Number(isPlain(b)));
  for (const parameter of shapedFirst) {
    await yieldControl();
    const found = findValue(parameter, rest);
    if (found === null) {
      missing.push(parameter);
      continue;
    }
    values[parameter.name] = found.value;
    rest = rest.slice(0, found.at) + ' '.repeat(found.length) + rest.slice(found.at + found.length);
  }
  const asked = parameters.filter((parameter) => parameter.required && missing.includes(parameter));
  return { values, missing: asked, rest };
}

/** Reads a short message as the value of the requested parameter; `null` if it is none. */
export function readValue(parameter: Parameter, text: string): Value | null {
  const found = findValue(parameter, text);
  if (found !== null) return found.value;
  if (parameter.type !== 'string' || findShape(parameter) !== null) return null;
  const words = text.trim().replace(/(?<![.!])[.!]+$/, '');
  return words === '' || words.includes('?') || words.split(/\s+/).length > 8 ? null : words;
}

interface Found {
  value: Value;
  at: number;
  length: number;
}

/**
 * Patterns chosen by the parameter's name and description, first match first. All run in linear time: a match can only
 * start at the beginning of a long token.
 */
const parameterShapes: readonly { words: RegExp; pattern: RegExp }[] = [
  {
    words: /e-?mail|correo/,
    pattern: /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/u,
  },
  { words: /\burl\b|\blink\b|website|enlace/, pattern: /https?:\/\/\S+/u },
  {
    words: /date|fecha|datum|\bdata\b|\bday\b|\btag\b|\bdia\b/,
    pattern: /\d{4}-\d{2}-\d{2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{1,2}\.\s?\d{1,2}\./u,
  },
  {
    words: /\btime\b|\bhora\b|uhrzeit|\bheure\b/,
    pattern: /\b\d{1,2}[:.h]\d{2}\b(?:\s?[ap]\.?m\b\.?)?|\b\d{1,2}\s?(?:[ap]\.?m\b\.?|Uhr)/iu,
  },
  { words: /phone|telefon|movil|celular|handy/, pattern: /\+?\d[\d ()/-]{5,}\d/u },
  {
    words:
      /\bid\b|number|numero|nummer|\bnr\b|\bno\b|code|codigo|\bsku\b|\bref|reference|referencia|tracking|order|pedido|bestell|invoice|factura|rechnung|ticket|zip|postal|plz/,
    pattern:
      /(?=[\p{L}\p{N}])(?<=(?<![\p{L}\p{N}_/-])[_/-]*)(?=[\p{L}\p{N}_/-]*\d)[\p{L}\p{N}]+(?:[-_/][\p{L}\p{N}]+)*/u,
  },
];

const numberPattern = /[-−]?\d+(?:[.,]\d+)*/u;
const yesPattern = /(?<!\p{L})(?:yes|yeah|true|sí|si|ja|oui|sim|sì|claro|ok|okay)(?!\p{L})/iu;
const noPattern = /(?<!\p{L})(?:no|not|false|nein|non|não|nee|without|sin|ohne|sans)(?!\p{L})/iu;
const quotedPattern = /["“”«»„‟]([^"“”«»„‟]+)["“”«»„‟]/u;
/** Consecutive capitalised words that do not start a sentence. */
const namePattern =
  /(?=\p{Lu})(?<=[\p{L}\p{N},;:)]\s+)\p{Lu}[\p{L}\p{M}'’-]*(?:\s+(?:(?:de|del|la|los|las|von|van|der|den|di|da|do|dos|le)\s+)*\p{Lu}[\p{L}\p{M}'’-]*)*/u;

const describeParameter = ({ name, description }: Parameter): string =>
  foldDiacritics(`${spellOut(name)} ${description}`.toLowerCase());

function findShape(parameter: Parameter): RegExp | null {
  const text = describeParameter(parameter);
  return parameterShapes.find(({ words }) => words.test(text))?.pattern ?? null;
}

const isPlain = (parameter: Parameter): boolean =>
  parameter.type === 'string' && findShape(parameter) === null;

function findValue(parameter: Parameter, text: string): Found | null {
  if (parameter.type === 'number') return findNumber(parameter, text);
  if (parameter.type === 'boolean') {
    const no = match(noPattern, text);
    const found = no ?? match(yesPattern, text);
    return found && { ...found, value: no === null };
  }
  const shape = findShape(parameter);
  if (shape !== null) return findPattern(parameter, text, shape);
  return (
    match(quotedPattern, text) ?? findAfterName(parameter, text) ?? findPattern(parameter, text, namePattern)
  );
}

/** The value is the first group of the pattern, or the whole match. */
function match(pattern: RegExp, text: string, from = 0): Found | null {
  const found = pattern.exec(text.slice(from));
  return found && { value: (found[1] ?? found[0]).trim(), at: from + found.index, length: found[0].length };
}

function findNumber(parameter: Parameter, text: string): Found | null {
  const found = findPattern(parameter, text, numberPattern);
  const plain = String(found?.value)
    .replace('−', '-')
    .replace(/[.,](?=\d{3}(?!\d))/g, '')
    .replace(',', '.');
  return found !== null && Number.isFinite(Number(plain)) ? { ...found, value: Number(plain) } : null;
}

/** Prefers a match after a word of the parameter's name. */
function findPattern(parameter: Parameter, text: string, pattern: RegExp): Found | null {
  return match(pattern, text, findNameEnd(parameter, text)) ?? match(pattern, text);
}

const linkingPattern =
  /^\s*(?:(?:is|es|ist|lautet|est|é|è|of|de|von|für|for|in|en|a|the|el|la|der|die|das)\s+|[:=]\s*)+/iu;

/** `city: Madrid`, `the city is Madrid`. */
function findAfterName(parameter: Parameter, text: string): Found | null {
  const end = findNameEnd(parameter, text);
  const linking = end === 0 ? null : linkingPattern.exec(text.slice(end));
  const found = linking && match(/^[^,.;:!?\n]+/u, text, end + linking[0].length);
  return found?.value === '' ? null : found;
}

/** Returns 0 if the text does not name the parameter. */
function findNameEnd({ name }: Parameter, text: string): number {
  const parts = new Set(splitWords(spellOut(name)).map(({ form }) => foldDiacritics(form)));
  const isNamed = (form: string) => form.length > 2 && parts.has(form);
  return splitWords(text).findLast(({ form }) => isNamed(foldDiacritics(form)))?.end ?? 0;
}
