import type { FakeReply, Json } from './protocol.ts';

/** A condition under which a server refuses a request of chat completions, with its words. */
export interface FakeRefusal {
  if: keyof typeof conditions;
  /** Of the condition: a number, or the path of a member. */
  than?: number | string;
  error: NonNullable<FakeReply['error']>;
}

/** Returns the error of the first refusal whose condition the request meets. */
export const findRefusal = (refusals: readonly FakeRefusal[], body: Json): FakeRefusal['error'] | null =>
  refusals.find((refusal) => conditions[refusal.if](body, refusal.than))?.error ?? null;

type Condition = (body: Json, than: unknown) => boolean;

/** What servers and chat templates of local models refuse. */
const conditions = {
  always: () => true,
  longer: (body, than) => Buffer.byteLength(JSON.stringify(body)) > Number(than),
  'other temperature': ({ temperature }, than) => temperature !== than,
  hotter: ({ temperature = 1 }, than) => temperature > Number(than),
  'has member': (body, than) => JSON.stringify(body).includes(`"${than}":`),
  'lacks member': (body, than) => !(String(than) in body),
  'has tools': ({ tools = [] }) => tools.length > 0,
  'several calls': ({ messages }) => messages.some(({ tool_calls: calls }: Json) => calls?.length > 1),
  'tool messages': ({ messages }) => messages.some(({ role }: Json) => role === 'tool'),
  'system message': ({ messages }) => messages.some(({ role }: Json) => role === 'system'),
  'other call ids': ({ messages }) =>
    messages.some(({ tool_calls: calls = [] }: Json) =>
      calls.some(({ id }: Json) => !/^[A-Za-z0-9]{9}$/.test(id)),
    ),
  'null content': ({ messages }) => messages.some(({ content }: Json) => typeof content !== 'string'),
  'empty content': ({ messages }) => messages.some(({ content }: Json) => content === ''),
  'no alternation': ({ messages }) => !alternates(messages),
} satisfies Record<string, Condition>;

/** The rules of the strictest templates: one system message first, then user and assistant by turns, and the user last. */
function alternates(messages: Json[]): boolean {
  const turns = messages.filter(({ role, tool_calls: calls }) => role !== 'tool' && !(calls?.length > 0));
  const [first, ...others] = turns.map(({ role }) => role);
  const roles = first === 'system' ? others : [first, ...others];
  const last = messages.at(-1)?.role;
  return (
    roles.every((role, index) => role === (index % 2 === 0 ? 'user' : 'assistant')) &&
    (last === 'user' || last === 'tool')
  );
}
