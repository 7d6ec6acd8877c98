import { searchStores, wordsOf } from './openai-files.ts';
import { compareCalls, encrypt, type FakeReply, fakeUsage, type Json, type Protocol } from './protocol.ts';

/** OpenAI's Responses. */
export const responses: Protocol = {
  readModel: (path, body) => (path.endsWith('/responses') ? body.model : null),
  refuse(_headers, { input, store, include, tools }) {
    if (!Array.isArray(input)) return 'input is required';
    if (store !== false) return 'The fake keeps no responses: store must be false';
    for (const tool of tools ?? []) {
      if (tool.type === 'file_search') {
        const found = searchStores(tool, '');
        if (typeof found === 'string') return found;
        continue;
      }
      if (tool.parameters?.type !== 'object') return `Invalid schema of ${tool.name}`;
    }
    const wrong = compareCalls(
      input.flatMap((item: Json) => (item.type === 'function_call' ? [item.call_id] : [])),
      input.flatMap((item: Json) => (item.type === 'function_call_output' ? [item.call_id] : [])),
    );
    return wrong ?? refuseReasoning(input, include);
  },
  writeReply: (reply, model, body) => ({
    id: 'resp_1',
    object: 'response',
    created_at: 1_790_000_000,
    status: readIncompleteReason(reply) === null ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: readIncompleteReason(reply) === null ? null : { reason: readIncompleteReason(reply) },
    model,
    output: reply.quotes === true ? quoteFiles(body, reply.annotates === true) : writeOutput(reply),
    ...(reply.withoutUsage === true ? {} : { usage }),
  }),
  writeError: ({ code, message }) => ({ error: { message, type: code, code, param: null } }),
};

const usage = {
  input_tokens: fakeUsage.input,
  input_tokens_details: { cached_tokens: fakeUsage.cached },
  output_tokens: fakeUsage.output,
  output_tokens_details: { reasoning_tokens: fakeUsage.reasoning },
  total_tokens: fakeUsage.input + fakeUsage.output,
};

const readIncompleteReason = ({ refused, cut }: FakeReply): string | null =>
  refused === true ? 'content_filter' : cut === true ? 'max_output_tokens' : null;

/** A call that followed reasoning is refused without that reasoning. */
function refuseReasoning(input: Json[], include: unknown): string | null {
  for (const [index, item] of input.entries()) {
    if (item.type === 'function_call' && item.call_id.startsWith('reasoned')) {
      const reasoning = input.slice(0, index).findLast(({ type }) => type === 'reasoning');
      if (reasoning?.encrypted_content !== encrypt('thought')) return 'The reasoning of a call is missing';
    }
  }
  const isIncluded = Array.isArray(include) && include.includes('reasoning.encrypted_content');
  return input.some(({ type }) => type === 'reasoning') && !isIncluded ? 'include is missing' : null;
}

const writeOutput = ({
  text,
  reasoning,
  toolCalls = [],
  annotations = [],
}: FakeReply & { annotations?: object[] }): object[] => [
  ...(reasoning === undefined
    ? []
    : [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: encrypt(reasoning) }]),
  ...(text === undefined
    ? []
    : [
        {
          type: 'message',
          id: 'msg_1',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text, annotations }],
        },
      ]),
  ...toolCalls.map(({ callId, tool, arguments: given }) => ({
    type: 'function_call',
    id: `fc_${callId}`,
    call_id: callId,
    name: tool,
    arguments: given,
    status: 'completed',
  })),
];

/** Each message of the contact is a line of JSON. */
const readMessages = (item: Json): Json[] =>
  (item?.content?.[0]?.text ?? '')
    .split('\n')
    .flatMap((line: string) => (line.startsWith('{') ? JSON.parse(line) : []));

/** Returns the given passages that share a word with the question, the one with most of them first. */
function readPassages(input: Json[], question: string): Json[] {
  const asked = new Set(wordsOf(question));
  const knowledge: Json[] = input.flatMap(readMessages).flatMap(({ context }) => context?.knowledge ?? []);
  return knowledge
    .flatMap(({ id, text }: Json) => (text === undefined ? [] : [{ filename: id, text }]))
    .map((passage) => ({
      ...passage,
      score: new Set(wordsOf(passage.text).filter((word) => asked.has(word))).size,
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
}

/** Responds like a model that trusts its files alone, or the given passages if it has no files. */
function quoteFiles({ input, tools, include }: Json, annotates: boolean): object[] {
  const tool = tools?.find(({ type }: Json) => type === 'file_search');
  // The check at publish asks in plain words, without a line of JSON.
  const asked = readMessages(input.findLast(({ role }: Json) => role === 'user')).at(-1)?.message ?? '';
  const found = tool === undefined ? readPassages(input, asked) : searchStores(tool, asked);
  const results: Json[] = Array.isArray(found) ? found : [];
  const search = {
    type: 'file_search_call',
    id: 'fs_1',
    status: 'completed',
    queries: [asked],
    results: include?.includes('file_search_call.results') ? results : null,
  };
  const [best] = results;
  if (annotates && best !== undefined) {
    const annotation = { type: 'file_citation', index: 0, file_id: best.file_id, filename: best.filename };
    return [search, ...writeOutput({ text: best.text, annotations: [annotation] })];
  }
  const end =
    best === undefined
      ? { tool: 'cannot_answer', given: { text: 'I do not know that.' } }
      : { tool: 'reply', given: { text: `${best.text} 【4:0†source】`, sources: [best.filename] } };
  const call = { callId: 'quoted', tool: end.tool, arguments: JSON.stringify(end.given) };
  return [...(tool === undefined ? [] : [search]), ...writeOutput({ toolCalls: [call] })];
}
