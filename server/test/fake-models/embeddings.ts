import { createHash } from 'node:crypto';
import type { Protocol } from './protocol.ts';

const dimensions = 1024;

/** Words with the same vector. */
const synonyms: Readonly<Record<string, string>> = { automobile: 'car', vehicle: 'car', purchase: 'buy' };

/** The model `short` refuses longer texts, as local models with a small context do. */
const maxCharacters = 200;

/** OpenAI's embeddings. Texts that share words or their synonyms have near vectors. */
export const embeddings: Protocol = {
  readModel: (path, body) => (path.endsWith('/embeddings') ? body.model : null),
  refuse(_headers, { model, input }) {
    if (!Array.isArray(input) || input.length === 0) return 'input is required';
    const isTooLong = model === 'short' && input.some((text) => text.length > maxCharacters);
    return isTooLong ? 'input is too large for the context of the model' : null;
  },
  writeReply: (_reply, model, { input }) => ({
    object: 'list',
    model,
    data: input.map((text: string, index: number) => ({
      object: 'embedding',
      index,
      embedding: embed(text),
    })),
    usage: { prompt_tokens: 1, total_tokens: 1 },
  }),
  writeError: ({ code, message }) => ({ error: { message, type: code, code, param: null } }),
};

/** The sum of a vector per word, whose values follow from the hash of the word. */
function embed(text: string): number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const digest = createHash('shake256', { outputLength: dimensions })
      .update(synonyms[word] ?? word)
      .digest();
    for (const [index, byte] of digest.entries()) vector[index] = (vector[index] ?? 0) + byte - 127.5;
  }
  return vector;
}
