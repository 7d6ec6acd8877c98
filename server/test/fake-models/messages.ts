import { compareCalls, type FakeReply, fakeUsage, type Json, type Protocol } from './protocol.ts';

/** Anthropic's Messages. */
export const messages: Protocol = {
  readModel: (path, body) => (path.endsWith('/messages') ? body.model : null),
  refuse(headers, body) {
    if (headers['anthropic-version'] === undefined) return 'anthropic-version: header is required';
    if (!Number.isInteger(body.max_tokens)) return 'max_tokens: Field required';
    return refuseMarks(body) ?? refuseTurns(body.messages);
  },
  writeReply: (reply, model) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...(reply.text === undefined ? [] : [{ type: 'text', text: reply.text }]),
      ...(reply.toolCalls ?? []).map(({ callId, tool, arguments: given }) => ({
        type: 'tool_use',
        id: callId,
        name: tool,
        input: JSON.parse(given),
      })),
    ],
    stop_reason: writeStopReason(reply),
    stop_sequence: null,
    usage: {
      input_tokens: fakeUsage.input - fakeUsage.cached,
      cache_read_input_tokens: fakeUsage.cached,
      cache_creation_input_tokens: 0,
      output_tokens: fakeUsage.output,
    },
  }),
  writeError: ({ code, message }) => ({ type: 'error', error: { type: code, message } }),
};

/** Tools, the system prompt and messages may mark at most four ends of a prefix to cache, and no empty text. */
function refuseMarks({ tools = [], system, messages: turns }: Json): string | null {
  const parts = [...tools, ...[system, ...turns.map(({ content }: Json) => content)].flat()];
  const marked = parts.filter((part) => part?.cache_control !== undefined);
  if (marked.length > 4) return 'A maximum of 4 blocks with cache_control may be provided.';
  if (marked.some(({ cache_control: { type } }) => type !== 'ephemeral')) return 'cache_control: wrong type';
  return marked.some(({ text }) => text === '') ? 'cache_control cannot be set for empty text blocks' : null;
}

function refuseTurns(turns: Json[]): string | null {
  for (const [index, { role, content }] of turns.entries()) {
    if (role !== (index % 2 === 0 ? 'user' : 'assistant')) return 'messages: roles must alternate';
    const calls = idsOf(content, 'tool_use', 'id');
    const results = idsOf(turns[index + 1]?.content, 'tool_result', 'tool_use_id');
    const wrong = compareCalls(calls, results);
    if (wrong !== null) return wrong;
  }
  return null;
}

const idsOf = (content: Json, type: string, id: string): string[] =>
  Array.isArray(content) ? content.flatMap((part) => (part.type === type ? [part[id]] : [])) : [];

function writeStopReason({ refused, cut, toolCalls = [] }: FakeReply): string {
  if (refused === true) return 'refusal';
  if (cut === true) return 'max_tokens';
  return toolCalls.length > 0 ? 'tool_use' : 'end_turn';
}
