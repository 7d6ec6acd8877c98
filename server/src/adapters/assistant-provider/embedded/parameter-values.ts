import type { YieldControl } from '../../../knowledge/time-slices.ts';
import { foldDiacritics, spellOut, splitWords } from '../../../knowledge/words.ts';
import type { ToolSpec } from '../assistant-provider.ts';

export type Parameter = ToolSpec['parameters'][number];
export type Value = string | number | boolean;

export interface FilledParameters {
  values: Record<string, Value>;
  missing: readonly Parameter[];
}

/** A text without the parts that were used as values. */
interface RemainingText {
  text: string;
  words: readonly { form: string; end: number }[];
}

const readRest = (text: string): RemainingText => ({
  text,
  words: splitWords(text).map(({ form, end }) => ({ form: foldDiacritics(form), end })),
});

/** Fills a tool's parameters from a text. Each part of the text fills at most one parameter. */
export async function fillParameters(
  parameters: readonly Parameter[],
  text: string,
  yieldControl: YieldControl,
): Promise<FilledParameters> {
  const values: Record<string, Value> = {};
  const missing: Parameter[] = [];
  let rest = readRest(text);
  const plain = new Set(parameters.filter(isPlain));
  for (const parameter of [...parameters.filter((each) => !plain.has(each)), ...plain]) {
    await yieldControl();
    const found = findValue(parameter, rest);
    if (found === null) {
      missing.push(parameter);
      continue;
    }
    values[parameter.name] = found.value;
    const end = found.at + found.length;
    rest = readRest(rest.text.slice(0, found.at) + ' '.repeat(found.length) + rest.text.slice(end));
  }
  return {
    values,
    missing: parameters.filter((parameter) => parameter.required && missing.includes(parameter)),
  };
}

/** Reads a short message as the value of the requested parameter; `null` if it is none. */
export function readValue(parameter: Parameter, text: string): Value | null {
  const found = findValue(parameter, readRest(text));
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

function findValue(parameter: Parameter, rest: RemainingText): Found | null {
  if (parameter.type === 'number') return findNumber(parameter, rest);
  if (parameter.type === 'boolean') return findBoolean(rest.text);
  const shape = findShape(parameter);
  if (shape !== null) return findPattern(parameter, rest, shape);
  return findQuoted(rest.text) ?? findAfterName(parameter, rest) ?? findPattern(parameter, rest, namePattern);
}

function findNumber(parameter: Parameter, rest: RemainingText): Found | null {
  const found = findPattern(parameter, rest, numberPattern);
  if (found === null) return null;
  const plain = String(found.value)
    .replace('−', '-')
    .replace(/[.,](?=\d{3}(?!\d))/g, '')
    .replace(',', '.');
  const value = Number(plain);
  return Number.isFinite(value) ? { ...found, value } : null;
}

function findBoolean(text: string): Found | null {
  const no = noPattern.exec(text);
  const match = no ?? yesPattern.exec(text);
  return match === null ? null : { value: no === null, at: match.index, length: match[0].length };
}

/** Prefers a match after a word of the parameter's name. */
function findPattern(parameter: Parameter, rest: RemainingText, pattern: RegExp): Found | null {
  const after = findNameEnd(parameter, rest);
  for (const from of after === null ? [0] : [after, 0]) {
    const match = pattern.exec(rest.text.slice(from));
    if (match !== null) return { value: match[0].trim(), at: from + match.index, length: match[0].length };
  }
  return null;
}

function findQuoted(text: string): Found | null {
  const match = quotedPattern.exec(text);
  return match?.[1] === undefined
    ? null
    : { value: match[1].trim(), at: match.index, length: match[0].length };
}

const linkingPattern =
  /^\s*(?:(?:is|es|ist|lautet|est|é|è|of|de|von|für|for|in|en|a|the|el|la|der|die|das)\s+|[:=]\s*)+/iu;

/** `city: Madrid`, `the city is Madrid`. */
function findAfterName(parameter: Parameter, rest: RemainingText): Found | null {
  const end = findNameEnd(parameter, rest);
  if (end === null) return null;
  const { text } = rest;
  const linking = linkingPattern.exec(text.slice(end));
  if (linking === null) return null;
  const at = end + linking[0].length;
  const value = /^[^,.;:!?\n]+/u.exec(text.slice(at))?.[0].trim();
  return value === undefined || value === '' ? null : { value, at, length: value.length };
}

function findNameEnd({ name }: Parameter, { words }: RemainingText): number | null {
  const parts = new Set(splitWords(spellOut(name)).map(({ form }) => foldDiacritics(form)));
  return words.findLast(({ form }) => form.length > 2 && parts.has(form))?.end ?? null;
}
