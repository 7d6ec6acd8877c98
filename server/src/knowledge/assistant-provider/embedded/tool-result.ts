import { spellOut } from '../../search/words.ts';
import { emptyResult } from '../assistant-provider.ts';
import { shorten } from './passage-answer.ts';
import type { Phrases } from './phrases.ts';

const longestReply = 600;
const textMembers = ['answer', 'message', 'text', 'reply', 'mensaje', 'respuesta', 'nachricht', 'antwort'];
const maxDepth = 32;
const wrappers = ['data', 'result', 'response'];

/** Turns a tool result into a reply: its text, or its fields line by line. */
export function createReplyFromResult(result: string, phrases: Phrases): string {
  const text = result === emptyResult ? '' : describe(unwrap(parse(result)), '\n').trim();
  return text === '' ? phrases.done : shorten(text, longestReply);
}

/** Returns plain text as it is. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function unwrap(value: unknown): unknown {
  const inner = isRecord(value) ? wrappers.map((wrapper) => value[wrapper]) : [];
  return inner.find((each) => typeof each === 'object' && each !== null) ?? value;
}

function describe(value: unknown, separator: string, depth = 0): string {
  if (depth > maxDepth || value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map((item) => describe(item, ', ', depth + 1)).join('\n');
  if (!isRecord(value)) return String(value);
  const texts = depth === 0 ? textMembers.map((name) => value[name]) : [];
  const text = texts.find((each) => typeof each === 'string' && each.trim() !== '');
  if (typeof text === 'string') return text;
  return Object.entries(value)
    .map(([name, member]) => [label(name), describe(member, ', ', depth + 1)])
    .flatMap(([name, each]) => (each === '' ? [] : [`${name}: ${each}`]))
    .join(separator);
}

/** `deliveryDate` and `delivery_date` → `Delivery date`. */
function label(name: string): string {
  const words = spellOut(name).toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
