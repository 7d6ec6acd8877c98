/** A mark of a chat template, or a tag around text that is not for the contact. */
export interface ModelMark {
  start: number;
  end: number;
  kind: MarkKind;
  /** In lower case, without brackets. */
  name: string;
  closes: boolean;
}

type MarkKind =
  /** Begins and ends reasoning. */
  | 'thinking'
  /** Begins and ends calls of tools. */
  | 'call'
  /** Wraps the answer. */
  | 'answer'
  /** The following word is the role of the writer. */
  | 'role_header'
  | 'assistant'
  | 'other_role'
  /** The following word is the channel of the text. */
  | 'channel'
  | 'message'
  | 'end'
  | 'other';

const thinking =
  'think|thinking|thoughts?|reasoning|reflection|reflecting|scratch_?pad|inner_?monologue|chain_?of_?thoughts?|antthinking';
/** Also words for placeholders. They count only in pairs. */
const seldomThinking = 'reason|analysis|plan|planning|rationale|deliberation|critique|cot';
const calling = 'tool_?calls?|tool_use|tool_code|function_?calls?|invoke|function|tool_request';
const answering = 'answer|final_?answer|final|response|reply|output|assistant|result|message|solution';

/** `<think>`, `</THINKING >`, `<seed:think budget="9">`, `&lt;think&gt;`, `◁think▷`, `<function=name>` */
const tag = new RegExp(
  String.raw`(?:\\?[<◁＜]|&lt;)\s{0,3}([/／]?)\s{0,3}(?:(?:[a-z]{1,20}[:_-])?(?:(${thinking}|${seldomThinking})(?:[_-][a-z]{1,20})?|(${calling}))|(${answering}))(=[^<>\s]{1,100}|[\s/][^<>]{0,300})?\\?(?:[>▷＞]|&gt;)`,
  'gi',
);
/** `<|im_end|>`, `<｜end▁of▁sentence｜>`, `<|channel>` and `<channel|>` */
const token = /<[|｜]([^\s|｜<>]{1,60})[|｜]?>|<([a-z_]{1,40})[|｜]>/gi;
const squareToken =
  /\[(\/?)(INST|THINK|TOOL_CALLS|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CONTENT|SYSTEM_PROMPT|ARGS|CALL_ID|TOOL_REQUEST|END_TOOL_REQUEST|END)\]/g;
const bareToken =
  /<(\/?)(s|bos|eos|pad|unk|eot|eod|im_start|im_end|eot_id|endoftext|end_of_text|start_of_turn|end_of_turn|end_of_utterance|unused\d{1,4})>|<<(\/?)SYS>>/g;

const isSeldomName = new RegExp(`^(?:${seldomThinking})$`, 'i');

/** Returns the marks in their order. Tags that may be ordinary text are left out. */
export function findMarks(text: string): ModelMark[] {
  const marks = [
    ...[...text.matchAll(tag)].map(readTag),
    ...[...text.matchAll(token)].map(readToken),
    ...[...text.matchAll(squareToken)].map(readSquareToken),
    ...[...text.matchAll(bareToken)].map(readBareToken),
  ].sort((a, b) => a.start - b.start);
  return withoutText(marks, text);
}

const at = (match: RegExpExecArray) => ({ start: match.index, end: match.index + match[0].length });

function readTag(match: RegExpExecArray): ModelMark {
  const [, slash, thought, call, answer, rest = ''] = match;
  const name = (thought ?? call ?? answer ?? '').toLowerCase();
  const kind = thought !== undefined ? 'thinking' : call !== undefined ? 'call' : 'answer';
  // `<think/>` is an empty block.
  return { ...at(match), kind: rest.trimEnd().endsWith('/') ? 'other' : kind, name, closes: slash !== '' };
}

function readToken(match: RegExpExecArray): ModelMark {
  const [, closed, halfClosed] = match;
  const written = (closed ?? halfClosed ?? '').toLowerCase().replaceAll('▁', '_');
  const name = written.replace(/^\//, '');
  const closes = written.startsWith('/') || /(?:^|_)(?:end|stop)(?:_|$)|end$|suffix$/.test(name);
  if (halfClosed === 'channel') return { ...at(match), kind: 'end', name, closes };
  const kind = toKind(name);
  return { ...at(match), kind, name: kind === 'thinking' ? kind : name, closes };
}

function toKind(name: string): MarkKind {
  if (/think|thought|reasoning|reflect|inner_/.test(name)) return 'thinking';
  if (/^(?:im_start|start_header_id|start|start_of_turn|turn)$/.test(name)) return 'role_header';
  if (/^(?:assistant|model|bot|chatbot)(?:_token)?$/.test(name)) return 'assistant';
  if (/^(?:user|human|system|developer|tool|observation|ipython|tool_outputs?_begin)(?:_token)?$/.test(name))
    return 'other_role';
  if (name === 'channel' || name === 'message') return name;
  if (/^(?:call|return)$|^(?:im|turn|message)?_?end(?:_|$)|eot|eos|eom|endoftext/.test(name)) return 'end';
  return /^(?:python_tag|(?:start_|end_)?action(?:_start|_end)?|functions?_calls?)$|^tool_calls?(?:_section)?(?:_begin|_start|_end)?$/.test(
    name,
  )
    ? 'call'
    : 'other';
}

function readSquareToken(match: RegExpExecArray): ModelMark {
  const [, slash, written = ''] = match;
  const name = written.toLowerCase();
  const closes = slash !== '' || written.startsWith('END');
  const mark = { ...at(match), name, closes };
  switch (written) {
    case 'THINK':
      return { ...mark, kind: 'thinking' };
    case 'TOOL_CALLS':
    case 'TOOL_REQUEST':
    case 'END_TOOL_REQUEST':
      return { ...mark, kind: 'call' };
    case 'INST':
      return { ...mark, kind: closes ? 'assistant' : 'other_role' };
    case 'SYSTEM_PROMPT':
    case 'AVAILABLE_TOOLS':
    case 'TOOL_RESULTS':
      return { ...mark, kind: closes ? 'end' : 'other_role' };
    default:
      return { ...mark, kind: 'other' };
  }
}

function readBareToken(match: RegExpExecArray): ModelMark {
  const [, slash, name = 'sys', systemSlash] = match;
  const closes = (slash ?? systemSlash) !== '';
  const mark = { ...at(match), name: name.toLowerCase(), closes };
  if (name === 'sys') return { ...mark, kind: closes ? 'end' : 'other_role' };
  if (/^(?:im_start|start_of_turn)$/.test(name)) return { ...mark, kind: 'role_header' };
  return { ...mark, kind: closes || /end|eot|eos|eod/.test(name) ? 'end' : 'other' };
}

/** Tags without a partner may be placeholders, and `<s>old price</s>` is struck text. */
const withoutText = (marks: readonly ModelMark[], text: string): ModelMark[] =>
  marks.filter((mark, index) => {
    if (mark.kind === 'answer' || (mark.kind === 'thinking' && isSeldomName.test(mark.name)))
      return hasPartner(marks, index);
    return mark.name !== 's' || !hasPartner(marks, index) || isAtEdge(mark, text);
  });

function hasPartner(marks: readonly ModelMark[], index: number): boolean {
  const mark = marks[index];
  return marks.some(
    (other, place) =>
      other.name === mark?.name && other.closes !== mark.closes && mark.closes === place < index,
  );
}

const isAtEdge = ({ start, end }: ModelMark, text: string): boolean =>
  text.slice(0, start).trim() === '' || text.slice(end).trim() === '';
