import { compareCalls, type FakeReply, fakeUsage, type Json, type Protocol } from './protocol.ts';

/** OpenAI's Chat Completions, also spoken by Mistral and by servers of local models. */
export const chatCompletions: Protocol = {
  readModel: (path, body) => (path.endsWith('/chat/completions') ? body.model : null),
  refuse(_headers, { messages, tools }) {
    if (!Array.isArray(messages) || messages.length === 0) return 'messages is required';
    for (const tool of tools ?? []) {
      if (tool.function.parameters.type !== 'object') return `Invalid schema of ${tool.function.name}`;
    }
    return refuseToolMessages(messages);
  },
  writeReply: (reply, model) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_790_000_000,
    model,
    choices: [{ index: 0, message: writeMessage(reply), finish_reason: writeFinishReason(reply) }],
    ...(reply.withoutUsage === true ? {} : { usage }),
  }),
  writeError: ({ code, message }) => ({ error: { message, type: code, code, param: null } }),
};

const usage = {
  prompt_tokens: fakeUsage.input,
  completion_tokens: fakeUsage.output,
  total_tokens: fakeUsage.input + fakeUsage.output,
  prompt_tokens_details: { cached_tokens: fakeUsage.cached },
  completion_tokens_details: { reasoning_tokens: fakeUsage.reasoning },
};

function refuseToolMessages(messages: Json[]): string | null {
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant' && message.tool_calls?.length > 0) {
      const following = messages.slice(index + 1);
      const end = following.findIndex(({ role }) => role !== 'tool');
      const results = end === -1 ? following : following.slice(0, end);
      const wrong = compareCalls(
        message.tool_calls.map(({ id }: Json) => id),
        results.map((result) => result.tool_call_id),
      );
      if (wrong !== null) return wrong;
      for (const call of message.tool_calls) JSON.parse(call.function.arguments);
    }
  }
  return null;
}

const writeMessage = ({ text, toolCalls = [] }: FakeReply): object => ({
  role: 'assistant',
  content: text ?? null,
  ...(toolCalls.length === 0
    ? {}
    : {
        tool_calls: toolCalls.map(({ callId, tool, arguments: given }) => ({
          id: callId,
          type: 'function',
          function: { name: tool, arguments: given },
        })),
      }),
});

function writeFinishReason({ refused, cut, toolCalls = [] }: FakeReply): string {
  if (refused === true) return 'content_filter';
  if (cut === true) return 'length';
  return toolCalls.length > 0 ? 'tool_calls' : 'stop';
}
