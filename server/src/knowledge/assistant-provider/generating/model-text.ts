import type { Notation } from '../../../platform/notation/notation.ts';
import { writeMarkdown } from '../../../platform/notation/write-markdown.ts';
import { parseNearJson } from '../../../platform/shared/near-json.ts';
import { readVisibleText } from './visible-text.ts';
import { readCallSection, takeCalls, type WrittenCall } from './written-calls.ts';

export interface ModelTextContext {
  /** The names of the tools that the model may call. */
  tools: ReadonlySet<string>;
  /** Ids of the knowledge items in the prompt. */
  knowledgeIds: ReadonlySet<string>;
  /** The name by which the bot introduces itself. */
  botName: string;
  notation: Notation;
  /** Texts in the prompt that may have marks of the network. */
  quotable: readonly string[];
  /** Whether the model reached its limit of tokens. */
  isCut: boolean;
}

export interface ModelText {
  /** Empty if nothing is for the contact. */
  text: string;
  calls: readonly WrittenCall[];
  /** Whether the end of the text is missing. */
  shortened: boolean;
}

/**
 * Reads a text that a model wrote. Every such text passes through here before it leaves, because models also write reasoning, calls,
 * marks of chat templates, ids of knowledge items and Markdown. Returns the part for the contact, in the notation of the network.
 */
export function readModelText(written: string, context: ModelTextContext): ModelText {
  const { text: visible, calls } = readPublicText(written, context);
  const spoken = removeRolePrefixes(visible.trim(), context.botName);
  const whole = context.isCut ? endAtSentence(spoken) : spoken;
  const text = writeMarkdown(whole, {
    notation: context.notation,
    isQuoted: (span) => context.quotable.some((known) => known.includes(span)),
    edit: (part) => removeCitations(part, context.knowledgeIds),
  });
  // Markdown may have hidden marks in its escapes.
  const { text: safe } = readPublicText(text, context);
  return { text: isVisible(safe) ? safe.trim() : '', calls, shortened: context.isCut && whole !== '' };
}

const maxRounds = 5;

/** A removed call may join the parts of a mark. */
function readPublicText(
  written: string,
  { tools, isCut }: Pick<ModelTextContext, 'tools' | 'isCut'>,
): { text: string; calls: WrittenCall[] } {
  const calls: WrittenCall[] = [];
  let text = written;
  for (let round = 0; round < maxRounds; round += 1) {
    const visible = readVisibleText(text, isCut);
    const taken = takeCalls(visible.text, tools);
    calls.push(...visible.callSections.flatMap((section) => readCallSection(section, tools)), ...taken.calls);
    if (taken.text === text) return { text, calls };
    text = taken.text;
  }
  return { text: '', calls };
}

/** Reads the text of a reply from its arguments, which the model may have been unable to finish. */
export function readReplyArguments(written: string): {
  text: string | null;
  sources: unknown;
  isOffTopic?: boolean;
} {
  const given = parseNearJson(written);
  if (typeof given === 'string') return { text: given, sources: [] };
  if (typeof given === 'object' && given !== null) {
    const { text = null, sources = [], off_topic } = given as Record<string, unknown>;
    return { text: typeof text === 'string' ? text : null, sources, isOffTopic: off_topic === true };
  }
  const [, unfinished] = /"text"\s{0,5}:\s{0,5}("(?:[^"\\]|\\.)*)$/s.exec(written) ?? [];
  const text = unfinished === undefined ? undefined : parseNearJson(`${unfinished.replace(/\\$/, '')}"`);
  return { text: typeof text === 'string' ? text : null, sources: [] };
}

const roles = new Set([
  ...['assistant', 'ai assistant', 'ai', 'bot', 'chatbot', 'asistente', 'assistente', 'assistent'],
  ...['ассистент', '助手', '助理', 'アシスタント', 'مساعد'],
]);

function removeRolePrefixes(text: string, botName: string): string {
  let spoken = text;
  for (let prefixes = 0; prefixes < maxRounds; prefixes += 1) {
    const rest = removeRolePrefix(spoken, botName);
    if (rest === spoken) break;
    spoken = rest;
  }
  return spoken;
}

/** `Assistant: …`, or the name of the bot where a sentence follows. */
function removeRolePrefix(text: string, botName: string): string {
  const [heading] = /^assistant[ \t]{0,5}\n\s{0,10}/i.exec(text) ?? [''];
  const start = text.slice(heading.length);
  const [prefix, label = ''] =
    /^[*_[(]{0,3}([^\s:：*_[\]()][^:：\n*_[\]()]{0,80})[*_\])]{0,3}[ \t]?[:：][*_]{0,3}\s{0,3}/.exec(
      start,
    ) ?? [''];
  const name = label.trim().toLowerCase();
  const rest = start.slice(prefix.length);
  const isRole = roles.has(name) || (name === botName.trim().toLowerCase() && isSpeech(rest));
  if (!isRole) return start;
  // After its own role, a model may go on with one for the contact.
  return (rest.split(/\n\s{0,5}(?:user|human|contact|customer|client)\s?[:：]/i)[0] ?? '').trim();
}

/** `Delivery: 3 days` and lists of such lines begin with a label. */
const isSpeech = (text: string): boolean =>
  /^[^\p{Ll}\p{N}]/u.test(text) && !/^[^\s:][^:\n]{0,40}: /m.test(text.split('\n').slice(1).join('\n'));

const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });
const endsSentence = /[.!?…。！？؟।]["'”’»)\]*_~`]{0,5}$/u;

/** Ends a cut text at its last whole sentence or line, or marks the missing end. */
function endAtSentence(text: string): string {
  if (text === '' || endsSentence.test(text)) return text;
  const segments = [...sentences.segment(text)].map(({ segment }) => segment);
  const kept = segments
    .slice(0, -1)
    .join('')
    .trimEnd()
    .replace(/\n[ \t]{0,20}(?:[-*+]|\d{1,3}[.)])$/, '');
  const ended = kept === '' ? `${text.replace(/\s{1,5}\S{1,50}$/, '')} …` : kept;
  // The closing marks of bold text are missing, too.
  const last = ended.lastIndexOf('**');
  return ended.split('**').length % 2 === 0 ? ended.slice(0, last) + ended.slice(last + 2) : ended;
}

/** Text of blanks, zero-width characters, marks of direction and the like is no answer. */
const isVisible = (text: string): boolean =>
  /[\p{L}\p{N}\p{P}\p{S}]/u.test(text.replaceAll(/[\p{Default_Ignorable_Code_Point}\u2800]/gu, ''));

/** `p1`, `q2`, `^p1`, `p1†source` */
const id = /^\^?[pq]\d{1,3}(?:†.*)?$/;
/** `4:0†source`, as models of OpenAI cite files. */
const foreignId = /^\d{1,3}(?::\d{1,3})?†/;
const separators = /\s{0,3}(?:[,;&]|\band\b|\bund\b|\by\b|\be\b|\bet\b)\s{0,3}/;
const namedSource =
  /^(?:[\p{L} ]{1,24}:\s{0,3}|(?:see|from|source|sources|ref|reference|id|ids|via)\s{1,3})/iu;
const sourceLine = /^\p{L}{3,12}(?: \p{L}{2,12})?:\s{0,3}(?=[[(【]?[pq]\d)/u;

/** Removes the ids of knowledge items, which mean nothing to a contact: `[p1]`, `(source: p1, q2)`, `【p1】`. */
function removeCitations(text: string, known: ReadonlySet<string>): string {
  const withoutLines = text
    .split('\n')
    .filter((line) => !isSourceLine(line, known))
    .join('\n');
  return withoutLines.replaceAll(
    /[ \t]{0,3}(\[|\(|【)([^[\]()【】\n]{1,200})[\])】]/g,
    (match, bracket: string, content: string) => (isCitation(content, bracket, known) ? '' : match),
  );
}

function isCitation(content: string, bracket: string, known: ReadonlySet<string>): boolean {
  const label = namedSource.exec(content)?.[0] ?? '';
  const ids = content.slice(label.length).trim().split(separators);
  return ids.every((written) => {
    if (known.has(written)) return true;
    // Text in round brackets may be about anything.
    if (bracket === '(' && label === '') return false;
    return id.test(written) || (bracket === '【' && foreignId.test(written));
  });
}

function isSourceLine(line: string, known: ReadonlySet<string>): boolean {
  const written = line.trim();
  const label = sourceLine.exec(written)?.[0];
  if (label === undefined) return false;
  const ids = written
    .slice(label.length)
    .replaceAll(/[[\]()【】.]/g, ' ')
    .trim();
  return ids.split(/[\s,;&]{1,5}/).every((each) => known.has(each) || id.test(each));
}
