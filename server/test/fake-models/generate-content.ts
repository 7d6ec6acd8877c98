import { fakeUsage, type Json, type Protocol } from './protocol.ts';

/** Google's generateContent. Its calls have no ids: results follow in the order of the calls. */
export const generateContent: Protocol = {
  readModel: (path) => /\/models\/([^/:]+):generateContent$/.exec(path)?.[1] ?? null,
  refuse: (_headers, { contents }) => {
    if (!Array.isArray(contents) || contents.length === 0) return 'contents is not specified';
    for (const [index, { parts }] of contents.entries()) {
      const calls = namesOf(parts, 'functionCall');
      const results = namesOf(contents[index + 1]?.parts ?? [], 'functionResponse');
      if (calls.length > 0 && calls.join() !== results.join()) {
        return 'The number of function response parts must equal that of the function call parts';
      }
    }
    return null;
  },
  writeReply: (reply, model) => ({
    candidates: [
      {
        index: 0,
        content: {
          role: 'model',
          parts: [
            ...(reply.text === undefined ? [] : [{ text: reply.text }]),
            ...(reply.toolCalls ?? []).map(({ tool, arguments: given }) => ({
              functionCall: { name: tool, args: JSON.parse(given) },
            })),
          ],
        },
        finishReason: reply.refused === true ? 'SAFETY' : reply.cut === true ? 'MAX_TOKENS' : 'STOP',
      },
    ],
    modelVersion: model,
    ...(reply.withoutUsage === true ? {} : { usageMetadata: usage }),
  }),
  writeError: ({ status, code, message }) => ({ error: { code: status, message, status: code } }),
};

/** Google counts reasoning beside the other output. */
const usage = {
  promptTokenCount: fakeUsage.input,
  cachedContentTokenCount: fakeUsage.cached,
  candidatesTokenCount: fakeUsage.output - fakeUsage.reasoning,
  thoughtsTokenCount: fakeUsage.reasoning,
  totalTokenCount: fakeUsage.input + fakeUsage.output,
};

const namesOf = (parts: Json[], kind: 'functionCall' | 'functionResponse'): string[] =>
  parts.flatMap((part) => (part[kind] === undefined ? [] : [part[kind].name]));
