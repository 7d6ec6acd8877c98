/** The body of a request of OpenAI's chat completions. */
export type ChatBody = Record<string, unknown> & { messages: ChatMessage[] };

interface ChatMessage {
  role: string;
  content?: string | readonly object[] | null;
  tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[] | undefined;
  tool_call_id?: string;
}

/** Joins messages of one role in a row and writes empty texts instead of null, because chat templates refuse both. */
export function toStrictBody(body: ChatBody): ChatBody {
  const messages: ChatMessage[] = [];
  for (const message of body.messages) {
    const last = messages.at(-1);
    if (last !== undefined && canJoin(last, message)) messages[messages.length - 1] = join(last, message);
    else messages.push({ ...message, content: message.content ?? '' });
  }
  return { ...body, messages };
}

const hasCalls = ({ tool_calls: calls = [] }: ChatMessage): boolean => calls.length > 0;

const canJoin = (last: ChatMessage, next: ChatMessage): boolean =>
  last.role === next.role && last.role !== 'tool' && !hasCalls(last) && !hasCalls(next);

function join(last: ChatMessage, next: ChatMessage): ChatMessage {
  const [first, second] = [last.content ?? '', next.content ?? ''];
  if (typeof first === 'string' && typeof second === 'string')
    return { ...last, content: [first, second].filter((text) => text !== '').join('\n') };
  return { ...last, content: [...toParts(first), ...toParts(second)] };
}

const toParts = (content: string | readonly object[]): readonly object[] =>
  typeof content === 'string' ? (content === '' ? [] : [{ type: 'text', text: content }]) : content;

/** Turns each step with several calls into steps with one call and its result. */
export const withSingleCalls = (body: ChatBody): ChatBody => ({
  ...body,
  messages: body.messages.flatMap((message, index) => {
    const { tool_calls: calls = [] } = message;
    if (message.role === 'tool') return isAfterSeveralCalls(body.messages, index) ? [] : [message];
    if (calls.length < 2) return [message];
    return calls.flatMap((call, position) => {
      const result = body.messages.find((each, at) => at > index && each.tool_call_id === call.id);
      const step = { ...message, content: position === 0 ? (message.content ?? '') : '', tool_calls: [call] };
      return result === undefined ? [step] : [step, result];
    });
  }),
});

function isAfterSeveralCalls(messages: readonly ChatMessage[], index: number): boolean {
  const step = messages.slice(0, index).findLast(({ role }) => role !== 'tool');
  return (step?.tool_calls?.length ?? 0) > 1;
}

/** Gives calls ids of nine letters and digits. */
export function withShortCallIds(body: ChatBody): ChatBody {
  const ids = new Map<string, string>();
  const shorten = (id: string): string => {
    const known = ids.get(id) ?? `call${String(ids.size).padStart(5, '0')}`;
    ids.set(id, known);
    return known;
  };
  return {
    ...body,
    messages: body.messages.map((message) => ({
      ...message,
      ...(hasCalls(message)
        ? { tool_calls: message.tool_calls?.map((call) => ({ ...call, id: shorten(call.id) })) }
        : {}),
      ...(message.tool_call_id === undefined ? {} : { tool_call_id: shorten(message.tool_call_id) }),
    })),
  };
}

/** Writes calls and their results as texts of the assistant and the user. */
export const withoutToolMessages = (body: ChatBody): ChatBody =>
  toStrictBody({
    ...body,
    messages: body.messages.map((message): ChatMessage => {
      if (message.role === 'tool')
        return { role: 'user', content: JSON.stringify({ tool_result: message.content }) };
      if (!hasCalls(message)) return message;
      const calls = (message.tool_calls ?? []).map(
        (call) => `Call of the tool ${call.function.name}: ${call.function.arguments}`,
      );
      return { role: 'assistant', content: [message.content, ...calls].filter(Boolean).join('\n') };
    }),
  });

/** Puts the system message before the first message of the user. */
export function withoutSystemMessage(body: ChatBody): ChatBody {
  const system = body.messages
    .filter(({ role }) => role === 'system')
    .map((message) => ({ ...message, role: 'user' }));
  const others = body.messages.filter(({ role }) => role !== 'system');
  return toStrictBody({ ...body, messages: [...system, ...others] });
}

export const withoutEmptyTexts = (body: ChatBody): ChatBody => ({
  ...body,
  messages: body.messages.map((message) =>
    message.content === '' ? { ...message, content: null } : message,
  ),
});

/** Removes the members of a name, wherever they are. */
export const withoutMember = (body: ChatBody, name: string): ChatBody =>
  JSON.parse(JSON.stringify(body, (key, value) => (key === name ? undefined : value)));
