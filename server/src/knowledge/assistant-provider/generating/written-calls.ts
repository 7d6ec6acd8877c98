import { parseNearJson } from '../../../platform/shared/near-json.ts';
import { findJsonEnd } from './visible-text.ts';

/** A call that a model wrote as text. */
export interface WrittenCall {
  tool: string;
  arguments: string;
}

export interface TextWithCalls {
  /** Without calls, also of unknown tools. */
  text: string;
  calls: readonly WrittenCall[];
}

/** Reads the text between the marks of a call: JSON, tags or a call of Python. Calls of unknown tools are left out. */
export function readCallSection(section: string, tools: ReadonlySet<string>): WrittenCall[] {
  const tagged = readTaggedCalls(section, tools);
  if (tagged.length > 0) return tagged;
  const unmarked = section.replaceAll(sectionMarks, '\n');
  const { calls } = takeJsonCalls(unmarked, tools, true);
  return [...(calls.length > 0 ? calls : takePythonCalls(unmarked, tools).calls)];
}

const sectionMarks =
  /<\/?[|｜][^\s<>]{1,60}>|<\/?\w{0,20}:?(?:tool|function)_?\w{0,10}>|\[\/?[A-Z_]{4,20}\]/g;

/** Takes calls without marks out of a text. */
export function takeCalls(written: string, tools: ReadonlySet<string>): TextWithCalls {
  const whole = readWholeText(written);
  if (whole !== null) return { text: '', calls: [whole] };
  const tagged = takeToolTags(written, tools);
  const json = takeJsonCalls(tagged.text, tools, false);
  const python = takePythonCalls(json.text, tools);
  return { text: python.text, calls: [...tagged.calls, ...json.calls, ...python.calls] };
}

/** `<function=name><parameter=key>value</parameter></function>`, `<invoke name="…">`, `name<arg_key>key</arg_key><arg_value>…` */
function readTaggedCalls(section: string, tools: ReadonlySet<string>): WrittenCall[] {
  return section.split(/<(?=(?:function|invoke)(?:=|\s))|<\/?tool_?call[^>]{0,50}>/i).flatMap((part) => {
    const [, named] =
      /^(?:function|invoke)(?:=|\s{1,5}name\s?=\s?)["']?([\w.:-]{1,100})["']?\s?>/i.exec(part) ??
      /^\s{0,5}([\w.:-]{1,100})\s{0,5}<arg_key>/.exec(part) ??
      [];
    const tool = named === undefined ? null : toKnownTool(named, tools);
    if (tool === null) return [];
    const values = [...readParameters(part)];
    const [json] = values.length > 0 ? [] : findObjects(part);
    return [{ tool, arguments: json?.source ?? JSON.stringify(Object.fromEntries(values)) }];
  });
}

function* readParameters(part: string): Generator<[string, string]> {
  for (const parameter of part.split(/<parameter(?=[=\s])|<arg_key>/).slice(1)) {
    const [read, named, plain] =
      /^(?:(?:=|\s{1,5}name\s?=\s?)["']?([\w.-]{1,100})["']?[^<>]{0,50}>|([^<>]{1,100})<\/arg_key>\s{0,5}<arg_value>)/.exec(
        parameter,
      ) ?? [''];
    const name = named ?? plain?.trim();
    const [value = ''] = parameter.slice(read.length).split(/<\/(?:parameter|arg_value)>/);
    if (name !== undefined) yield [name, value.trim()];
  }
}

/** `<order_status><order_number>4711</order_number></order_status>` */
function takeToolTags(written: string, tools: ReadonlySet<string>): TextWithCalls {
  let text = written;
  const calls: WrittenCall[] = [];
  for (const tool of tools) {
    const [before = '', body, after = ''] = splitOnce(text, `<${tool}>`, `</${tool}>`);
    if (body === undefined) continue;
    const [json] = findObjects(body);
    const values = body
      .split(/<(?=\w)/)
      .slice(1)
      .flatMap((part): [string, string][] => {
        const [, name, value] = /^(\w{1,100})>([^<]*)/.exec(part) ?? [];
        return name === undefined || value === undefined ? [] : [[name, value.trim()]];
      });
    calls.push({ tool, arguments: json?.source ?? JSON.stringify(Object.fromEntries(values)) });
    text = before + after;
  }
  return { text, calls };
}

function splitOnce(text: string, opening: string, closing: string): string[] {
  const start = text.indexOf(opening);
  const end = text.indexOf(closing, start);
  if (start < 0 || end < 0) return [];
  return [text.slice(0, start), text.slice(start + opening.length, end), text.slice(end + closing.length)];
}

interface FoundValue {
  start: number;
  end: number;
  source: string;
  value: object;
}

const maxAttempts = 100;

function* findObjects(text: string): Generator<FoundValue> {
  let attempts = 0;
  for (let start = 0; start < text.length; start += 1) {
    const end = findJsonEnd(text, start);
    if (end === null) {
      if (/[{[]/.test(text.charAt(start))) attempts += 1;
      if (attempts > maxAttempts) return;
      continue;
    }
    const source = text.slice(start, end);
    const value = parseJson(source);
    if (typeof value === 'object' && value !== null) {
      yield { start, end, source, value };
      start = end - 1;
    } else attempts += 1;
  }
}

/** Keeps all digits of a number. */
const parseJson = (text: string): unknown =>
  parseNearJson(text, (_, value, context) => {
    const digits = typeof value === 'number' ? context?.source : undefined;
    return digits === undefined || digits === String(value) ? value : digits;
  });

/** `isSection`: all of the text belongs to calls. */
function takeJsonCalls(written: string, tools: ReadonlySet<string>, isSection: boolean): TextWithCalls {
  const calls: WrittenCall[] = [];
  let text = '';
  let end = 0;
  for (const found of findObjects(written)) {
    const named = isRecord(found.value)
      ? readNameBefore(written.slice(end, found.start), tools, isSection)
      : null;
    const read = readCalls(found.value, tools);
    const fence = findFence(written, found);
    const unknownAction = /(?:^|\n)Action:[^\n]{1,100}\nAction Input:\s{0,5}$/i.exec(
      written.slice(end, found.start),
    );
    if (read === null && named === null && unknownAction === null) continue;
    // An example of a document may look like a call.
    if (read !== null && read.calls.length === 0 && !read.isCertain && fence !== null) continue;
    calls.push(...(read?.calls ?? (named === null ? [] : [{ tool: named.tool, arguments: found.source }])));
    const length = named?.length ?? unknownAction?.[0].length ?? 0;
    const start = fence?.start ?? found.start - (read === null ? length : 0);
    text += written.slice(end, Math.max(start, end));
    end = fence?.end ?? found.end + (/^\s{0,5}\)/.exec(written.slice(found.end))?.[0].length ?? 0);
  }
  return { text: calls.length === 0 && end === 0 ? written : text + written.slice(end), calls };
}

/** Reads a name directly before the arguments: `name({…})`, `functions.name:0{…}`, `Action: name\nAction Input: {…}`. */
function readNameBefore(text: string, tools: ReadonlySet<string>, isSection: boolean) {
  const before = text.slice(-300);
  const [all = '', , name = ''] =
    /(?:^|[\s>|｜(:▁])(Action:\s{0,5})?([\w.-]{1,100})(?::\d{1,4})?(?:\[CALL_ID\]\w{0,40}|\[ARGS\]|<[|｜][^\s<>]{1,60}[|｜]>|\s{0,5}```\w{0,10}\s{1,5}|\s{0,5}\(|\n{1,3}(?:Action Input|Arguments|Input):?\s{0,5}|\s{0,5}\n\s{0,5}|)$/i.exec(
      before,
    ) ?? [];
  const known = toKnownTool(name, tools);
  if (known !== null) return { tool: known, length: all.trimStart().length };
  if (!isSection) return null;
  const anywhere = [...tools].find((tool) => before.includes(tool));
  return anywhere === undefined ? null : { tool: anywhere, length: 0 };
}

function findFence(text: string, { start, end }: FoundValue): { start: number; end: number } | null {
  const [opening] = /```\w{0,20}[ \t]{0,5}\n?\s{0,5}$/.exec(text.slice(Math.max(start - 60, 0), start)) ?? [];
  const [closing] = /^\s{0,5}```/.exec(text.slice(end)) ?? [];
  return opening === undefined || closing === undefined
    ? null
    : { start: start - opening.length, end: end + closing.length };
}

const nameMembers = ['name', 'tool', 'tool_name', 'function', 'function_name', 'recipient_name', 'action'];
const argumentMembers = [
  ...['arguments', 'parameters', 'args', 'input', 'tool_input', 'action_input', 'params', 'kwargs'],
  ...['tool_args', 'tool_arguments', 'function_args', 'function_arguments', 'tool_parameters'],
];
const wrappers = [
  'tool_calls',
  'tool_call',
  'function_call',
  'function_calls',
  'calls',
  'tool_uses',
  'function',
];

/** Returns null if the value is no call. `isCertain`: only calls look so. */
function readCalls(
  value: unknown,
  tools: ReadonlySet<string>,
): { calls: readonly WrittenCall[]; isCertain: boolean } | null {
  if (Array.isArray(value)) {
    const read = value.map((item) => readCalls(item, tools));
    if (read.length === 0 || read.some((item) => item === null)) return null;
    return { calls: read.flatMap((item) => item?.calls ?? []), isCertain: true };
  }
  if (!isRecord(value)) return null;
  for (const wrapper of wrappers) {
    const read = typeof value[wrapper] === 'object' ? readCalls(value[wrapper], tools) : null;
    if (read !== null) return read;
  }
  const { text, sources } = value;
  if (typeof text === 'string' && Array.isArray(sources))
    return { calls: [{ tool: 'reply', arguments: JSON.stringify({ text, sources }) }], isCertain: true };
  return readCall(value, tools);
}

function readCall(value: Record<string, unknown>, tools: ReadonlySet<string>) {
  const nameMember = nameMembers.find((member) => typeof value[member] === 'string');
  if (nameMember === undefined) return null;
  const written = String(value[nameMember]);
  const tool = toKnownTool(written, tools);
  const argumentMember = argumentMembers.find((member) => value[member] !== undefined);
  if (argumentMember === undefined && tool === null) return null;
  if (!/^[\w.:-]{1,100}$/.test(written)) return null;
  const { [nameMember]: _, type, id, ...others } = value;
  const given = argumentMember === undefined ? others : value[argumentMember];
  const isText = typeof given === 'string' && !isRecord(parseJson(given));
  const read = isText ? { text: given } : given;
  return {
    calls:
      tool === null
        ? []
        : [{ tool, arguments: typeof read === 'string' ? read : JSON.stringify(read ?? {}) }],
    isCertain: argumentMember === 'arguments',
  };
}

const textMembers = [
  ...['text', 'answer', 'reply', 'response', 'message', 'content', 'output', 'final_answer', 'result'],
  ...['final', 'assistant', 'bot', 'completion', 'antwort', 'respuesta', 'resposta'],
];

/** Reads an object that is the whole answer, such as `{"answer":"At nine.","confidence":0.9}`, as the arguments of a reply. */
function readWholeText(written: string): WrittenCall | null {
  const [, fenced] = /^```(?:json)?[ \t]{0,5}\n([^`]*)```$/i.exec(written.trim()) ?? [];
  const source = (fenced ?? written).trim();
  if (!/^[{[]/.test(source) || findJsonEnd(source, 0) !== source.length) return null;
  const reply = readTextMember(parseJson(source));
  return reply === null ? null : { tool: 'reply', arguments: JSON.stringify(reply) };
}

function readTextMember(value: unknown): { text: string; sources: unknown } | null {
  if (Array.isArray(value)) return value.length === 1 ? readTextMember(value[0]) : null;
  if (
    !isRecord(value) ||
    nameMembers.some((member) => member in value && argumentMembers.some((other) => other in value))
  )
    return null;
  for (const member of textMembers) {
    const found = value[member];
    if (typeof found === 'string' && found.trim() !== '')
      return { text: found, sources: value['sources'] ?? value['citations'] ?? [] };
    const inner = typeof found === 'object' ? readTextMember(found) : null;
    if (inner !== null) return inner;
  }
  return null;
}

/** Takes lines such as `[order_status(order_number="4711")]` and `print(default_api.order_status(…))`. */
function takePythonCalls(written: string, tools: ReadonlySet<string>): TextWithCalls {
  const calls: WrittenCall[] = [];
  const kept = written.split('\n').filter((line) => {
    const found = readPythonLine(line, tools);
    calls.push(...found);
    return found.length === 0;
  });
  return { text: calls.length === 0 ? written : kept.join('\n'), calls };
}

function readPythonLine(line: string, tools: ReadonlySet<string>): WrittenCall[] {
  const [, name = ''] =
    /^[^\w]{0,10}(?:<[|｜][\w|｜>]{1,40})?(?:print\()?((?:[\w-]{1,100}\.){0,3}[\w-]{1,100})\(/.exec(line) ??
    [];
  const tool = toKnownTool(name.replace(/\.call$/, ''), tools);
  if (tool === null || !/\)[\])`\s]{0,10}$|\)<[^>]{1,60}>\s{0,5}$/.test(line)) return [];
  const values = [
    ...line.matchAll(
      /(\w{1,100})\s{0,3}=\s{0,3}("(?:[^"\\]|\\.){0,4000}"|'(?:[^'\\]|\\.){0,4000}'|[^,()"'[\]]{1,200}|\[[^[\]]{0,1000}\])/g,
    ),
  ];
  return [
    {
      tool,
      arguments: JSON.stringify(
        Object.fromEntries(values.map(([, key = '', value = '']) => [key, readPythonValue(value.trim())])),
      ),
    },
  ];
}

function readPythonValue(written: string): unknown {
  if (!/^["']/.test(written)) return parseJson(written) ?? written;
  const text = written.slice(1, -1);
  const escaped = written.startsWith('"') ? text : text.replaceAll('"', '\\"').replaceAll("\\'", "'");
  const value = parseNearJson(`["${escaped}"]`);
  return Array.isArray(value) && value.length === 1 ? value[0] : text;
}

/** `functions.order_status:0` and `default_api.order_status` name the tool `order_status`. */
function toKnownTool(written: string, tools: ReadonlySet<string>): string | null {
  const name = written.trim().replace(/:\d{1,4}$/, '');
  if (tools.has(name)) return name;
  const last = name.split(/[.:]/).at(-1) ?? '';
  return tools.has(last) ? last : null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
