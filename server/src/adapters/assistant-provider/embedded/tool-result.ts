import { spellOut } from '../../../knowledge/words.ts';
import type { Phrases } from './phrases.ts';

const longestReply = 600;
const textMembers = ['answer', 'message', 'text', 'reply', 'mensaje', 'respuesta', 'nachricht', 'antwort'];
const maxDepth = 32;
const wrappers = ['data', 'result', 'response'];

/** Turns a tool result into a reply: its text, or its fields line by line. */
export function createReplyFromResult(result: string, phrases: Phrases): string {
  const parsed = parse(result);
  const text = parsed === undefined ? result.trim() : spoken(unwrapped(parsed)).trim();
  if (text === '') return phrases.done;
  const letters = [...text];
  return letters.length <= longestReply ? text : `${letters.slice(0, longestReply - 1).join('')}…`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the result is plain text.
    return undefined;
  }
}

function unwrapped(value: unknown): unknown {
  if (!isRecord(value)) return value;
  for (const wrapper of wrappers) {
    const inner = value[wrapper];
    if (typeof inner === 'object' && inner !== null) return inner;
  }
  return value;
}

function spoken(value: unknown, level = 0): string {
  if (level > maxDepth) return '';
  if (Array.isArray(value))
    return value
      .map((item) => (isRecord(item) ? lineOf(item, level + 1) : spoken(item, level + 1)))
      .join('\n');
  if (!isRecord(value)) return value === null || value === undefined ? '' : String(value);
  for (const name of textMembers) {
    const words = value[name];
    if (typeof words === 'string' && words.trim() !== '') return words;
  }
  return members(value, level).join('\n');
}

function lineOf(item: Record<string, unknown>, level: number): string {
  return members(item, level).join(', ');
}

function members(value: Record<string, unknown>, level: number): string[] {
  if (level > maxDepth) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const text = isRecord(member) ? lineOf(member, level + 1) : spoken(member, level + 1);
    return text === '' ? [] : [`${label(name)}: ${text}`];
  });
}

/** `deliveryDate` and `delivery_date` → `Delivery date`. */
function label(name: string): string {
  const words = spellOut(name).toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
