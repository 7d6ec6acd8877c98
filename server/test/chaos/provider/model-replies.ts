import type { FakeReply, Json } from '../../fake-models/protocol.ts';
import { createAnswer } from './provider-state.ts';

/**
 * Returns the reply to a request for a chat completion, the same for the same request. A model calls the tool, once, if one of
 * the last questions ends with an exclamation mark. It rewrites nothing.
 */
export function createModelReply({ messages, tools = [] }: Json): FakeReply {
  const texts: string[] = messages.map(({ content }: Json) => readText(content));
  if (!tools.some(({ function: { name } }: Json) => name === 'reply')) return { text: readRewriting(texts) };
  const since = messages.findLastIndex(
    ({ role, tool_calls: calls }: Json) => role === 'assistant' && !(calls?.length > 0),
  );
  const turn = messages.slice(Math.max(since + 1, 1));
  const questions: string[] = turn.flatMap(({ role, content }: Json) =>
    role === 'user'
      ? readText(content)
          .split('\n')
          .map((line) => JSON.parse(line).message ?? '')
      : [],
  );
  const actionQuestion = questions.find((question) => question.endsWith('!'));
  const hasResult = turn.some(({ role }: Json) => role === 'tool');
  if (actionQuestion !== undefined && !hasResult) return callTool('book', { question: actionQuestion });
  const [, version = '0'] = /version (\d+)/.exec(texts[0] ?? '') ?? [];
  return callTool('reply', { text: createAnswer(questions, Number(version)), sources: [] });
}

const callTool = (tool: string, given: object): FakeReply => ({
  toolCalls: [{ callId: `call-${tool}`, tool, arguments: JSON.stringify(given) }],
});

const readText = (content: Json): string =>
  Array.isArray(content) ? content.map(({ text }) => text ?? '').join('') : (content ?? '');

/** Other requests without our tools ask whether the model is there. */
function readRewriting(texts: readonly string[]): string {
  const [, data] = /^Data:\n(.*)\n/.exec(texts.at(-1) ?? '') ?? [];
  return data === undefined ? 'OK' : JSON.parse(data).text;
}
