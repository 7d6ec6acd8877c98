import { findMarks, type ModelMark } from './model-marks.ts';

export interface VisibleText {
  text: string;
  /** Calls of tools between marks, as written. */
  callSections: readonly string[];
}

/** More rounds than a text needs that is not made to hide marks in marks. */
const maxRounds = 20;

/**
 * Removes reasoning, calls between marks and the marks of chat templates. A removal may join the parts of another mark, so it repeats
 * until nothing changes. `isCut`: the end of the text is missing.
 */
export function readVisibleText(written: string, isCut: boolean): VisibleText {
  let text = readUntagged(tagFences(written));
  const callSections: string[] = [];
  for (let round = 0; round < maxRounds; round += 1) {
    const marks = findMarks(text);
    if (marks.length === 0) return { text, callSections };
    const read = new Reader(text, marks, isCut).read();
    callSections.push(...read.callSections);
    text = read.text;
  }
  return { text: '', callSections };
}

/** Reads blocks such as ```thinking as if they were tags. */
function tagFences(text: string): string {
  let closing: string | null = null;
  const lines = text.split('\n').map((line) => {
    if (closing !== null) {
      if (line.trim() !== '```') return line;
      const tag = closing;
      closing = null;
      return tag;
    }
    const [, info = ''] = /^[ \t]{0,20}```[ \t]{0,3}(\w{1,30})[ \t]{0,20}$/.exec(line) ?? [];
    const tag = /^(?:think|thinking|thoughts?|reasoning|reflection)$/i.test(info)
      ? 'think'
      : /^(?:tool_(?:call|calls|code|use)|function_calls?)$/i.test(info)
        ? 'tool_call'
        : null;
    if (tag === null) return line;
    closing = `</${tag}>`;
    return `<${tag}>`;
  });
  return lines.join('\n');
}

/** Reasoning whose marks a server removed, or that is announced in words. */
function readUntagged(text: string): string {
  const start = text.trimStart();
  if (/^analysis(?:[A-Z]|.{0,10000}assistantfinal)/s.test(start))
    return start.includes('assistantfinal') ? (start.split('assistantfinal').at(-1) ?? '') : '';
  if (/^here(?:'s| is) my (?:thought|thinking|reasoning) process:/i.test(start))
    return start
      .split(/^here(?:'s| is) my (?:response|answer):/im)
      .slice(1)
      .join('')
      .trimStart();
  if (/^(?:thought|action|observation)\s?:/i.test(start)) {
    const [steps = '', ...answers] = start.split(/^final answer\s?:/im);
    const action = steps.search(/^action\s?:/im);
    return answers.at(-1)?.trimStart() ?? steps.slice(Math.max(action, 0));
  }
  return text;
}

interface Channel {
  visible: boolean;
  /** The tool that gets the text. */
  recipient: string | null;
}

const final: Channel = { visible: true, recipient: null };

class Reader {
  readonly #text: string;
  readonly #marks: readonly ModelMark[];
  readonly #isCut: boolean;
  readonly #callSections: string[] = [];
  #visible = '';
  #at = 0;
  #thinking: string[] = [];
  #isOtherRole = false;
  #channel = final;
  #header: 'role_header' | 'channel' | null = null;
  #call: { start: number; contentStart: number; depth: number } | null = null;

  constructor(text: string, marks: readonly ModelMark[], isCut: boolean) {
    this.#text = text;
    this.#marks = marks;
    this.#isCut = isCut;
  }

  read(): VisibleText {
    for (const [index, mark] of this.#marks.entries()) {
      if (this.#call !== null && !this.#readWithinCall(mark, index)) continue;
      this.#readChunk(mark.start, mark);
      this.#at = mark.end;
      if (!this.#isMention(mark)) this.#apply(mark, index);
    }
    if (this.#call !== null) this.#endCall(this.#text.length);
    this.#readChunk(this.#text.length, null);
    return { text: this.#visible, callSections: this.#callSections };
  }

  /** Returns whether the mark ends the call and has a meaning of its own. */
  #readWithinCall(mark: ModelMark, index: number): boolean {
    const call = this.#call;
    if (call === null) return true;
    if (mark.kind === 'call') {
      call.depth += mark.closes ? -1 : 1;
      if (call.depth > 0) return false;
      this.#keepCall(mark.end);
      this.#call = null;
      this.#at = mark.end;
      return false;
    }
    if (this.#isCut || this.#isClosedLater('call', index)) return false;
    const endsThinking = mark.kind === 'thinking' && mark.closes && this.#thinking.length > 0;
    if (!endsThinking && !/^(?:end|role_header|channel)$/.test(mark.kind)) return false;
    this.#endCall(mark.start);
    return true;
  }

  /** Ends a call without a closing mark. Text after its arguments is visible. */
  #endCall(end: number): void {
    if (this.#call === null) return;
    const { contentStart } = this.#call;
    const length = this.#isCut ? null : measureCalls(this.#text.slice(contentStart, end));
    this.#at = length === null ? end : contentStart + length;
    this.#keepCall(this.#at);
    this.#call = null;
  }

  /** A call within reasoning is no call. */
  #keepCall(end: number): void {
    if (this.#call !== null && this.#thinking.length === 0 && !this.#isOtherRole)
      this.#callSections.push(this.#text.slice(this.#call.start, end));
  }

  #readChunk(end: number, next: ModelMark | null): void {
    const chunk = this.#readHeader(this.#text.slice(this.#at, end), next);
    if (this.#thinking.length > 0 || this.#isOtherRole) return;
    if (this.#channel.recipient !== null) this.#callSections.push(`${this.#channel.recipient}\n${chunk}`);
    else if (this.#channel.visible) this.#append(chunk);
  }

  #append(chunk: string): void {
    const [before, after] = joinAround(this.#visible, chunk);
    this.#visible = before + after;
  }

  /** Reads the word after a mark of a role or a channel, and returns the rest. */
  #readHeader(chunk: string, next: ModelMark | null): string {
    const header = this.#header;
    this.#header = null;
    if (header === null) return chunk;
    const [read, word = '', recipient] =
      /^\s{0,5}([\w.]{1,40})?(?:[ \t]{1,3}to=([\w.]{1,80}))?[ \t]{0,3}:?\s{0,5}/.exec(chunk) ?? [''];
    const name = word.toLowerCase();
    if (header === 'channel') {
      this.#channel = { visible: name === 'final' || name === 'response', recipient: recipient ?? null };
      return next?.kind === 'message' || next?.name === 'constrain' ? '' : chunk.slice(read.length);
    }
    if (recipient !== undefined) this.#channel = { visible: false, recipient };
    this.#isOtherRole = /^(?:user|human|system|developer|tool|ipython|function|observation)$|\./.test(name);
    const isRole = this.#isOtherRole || /^(?:assistant|model|bot|chatbot)$/.test(name);
    return isRole ? chunk.slice(read.length) : chunk;
  }

  #apply(mark: ModelMark, index: number): void {
    switch (mark.kind) {
      case 'thinking':
        if (mark.closes) this.#endThinking(mark);
        else this.#thinking.push(mark.name);
        return;
      case 'call':
        this.#endUnclosedThinking(index);
        if (!mark.closes) this.#call = { start: mark.start, contentStart: mark.end, depth: 1 };
        return;
      case 'answer':
        this.#endUnclosedThinking(index);
        return;
      case 'channel':
      case 'role_header':
        this.#endUnclosedThinking(index);
        this.#isOtherRole = false;
        this.#channel = mark.kind === 'channel' ? this.#channel : final;
        this.#header = mark.kind;
        return;
      case 'assistant':
        this.#endUnclosedThinking(index);
        this.#isOtherRole = false;
        this.#channel = final;
        return;
      case 'other_role':
        this.#isOtherRole = true;
        return;
      case 'end':
        this.#isOtherRole = isWrittenByContact(this.#text.slice(mark.end, mark.end + 40));
        // Marks of other templates do not end a channel.
        if (/^(?:end|return|call|channel)$/.test(mark.name)) this.#channel = final;
        return;
      default:
        return;
    }
  }

  /** Text before a closing mark without an opening one is reasoning: the template of the model had the opening one. */
  #endThinking({ name }: ModelMark): void {
    const opening = this.#thinking.lastIndexOf(name);
    if (opening >= 0) this.#thinking = this.#thinking.slice(0, opening);
    else if (this.#thinking.length === 0) this.#visible = '';
  }

  /** Some models begin the answer without a closing mark, which a cut text may lack for another reason. */
  #endUnclosedThinking(index: number): void {
    if (!this.#isCut && !this.#isClosedLater('thinking', index)) this.#thinking = [];
  }

  #isClosedLater(kind: ModelMark['kind'], index: number): boolean {
    return this.#marks.some((mark, place) => place > index && mark.kind === kind && mark.closes);
  }

  /** A mark in code, as in a text about models. */
  #isMention({ start, end, kind }: ModelMark): boolean {
    return kind !== 'call' && this.#text[start - 1] === '`' && this.#text[end] === '`';
  }
}

/** Keeps the marks of Markdown around removed text valid: no blank after an opening mark, and no pair around nothing. */
function joinAround(before: string, after: string): [string, string] {
  const [, opening] = /(?:^|[\s([{])([*_~]{1,3}|`)$/.exec(before.slice(-5)) ?? [];
  const [, closing] = /^([*_~]{1,3}|`)(?:$|[\s)\]}.,;:!?])/.exec(after.trimStart().slice(0, 5)) ?? [];
  if (opening !== undefined && opening === closing)
    return [before.slice(0, -opening.length), after.trimStart().slice(closing.length)];
  if (opening !== undefined) return [before, after.replace(/^[ \t]{1,100}/, '')];
  return /^[ \t]/.test(after) || closing === undefined ? [before, after] : [before.trimEnd(), after];
}

/** A model that misses its end goes on with an invented message of the contact. */
const isWrittenByContact = (text: string): boolean =>
  /^\s{0,10}(?:user|human|contact|customer)\s?[:\n]/i.test(text);

/** Returns the length of the calls at the beginning of a text: names and JSON. Returns null if there is none. */
function measureCalls(text: string): number | null {
  let length: number | null = null;
  for (;;) {
    const from: number = length ?? 0;
    const [skipped = ''] = /^[\s,;]{0,20}(?:[\w.:<>=/"|｜▁]|\[ARGS\]|\[CALL_ID\]){0,100}\s{0,5}(?=[{[])/.exec(
      text.slice(from),
    ) ?? [''];
    const end = findJsonEnd(text, from + skipped.length);
    if (end === null) return length;
    length = end;
  }
}

/** Returns the index after the JSON object or array that begins at `start`, or null. */
export function findJsonEnd(text: string, start: number): number | null {
  if (text[start] !== '{' && text[start] !== '[') return null;
  let depth = 0;
  let inString = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth === 0) return index + 1;
  }
  return null;
}
