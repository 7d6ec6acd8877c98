import type { ModelUsage } from '../../ports/language-model/language-model.ts';
import type { StepUsage } from '../../ports/provider-error.ts';

/** Per million tokens, in the operator's currency. */
export interface ModelPrice {
  input: number;
  /** Of the input tokens that the provider read from its cache. */
  cached: number;
  output: number;
}

/** By the provider's id of the model. */
export type ModelPrices = ReadonlyMap<string, ModelPrice>;

const maxModels = 100;
const number = String.raw`(\d{1,6}(?:\.\d{1,6})?)`;
const entry = new RegExp(`^([\\x21-\\x7e]{1,200})=${number}/${number}(?:/${number})?$`);

/** Reads `model=input/output` or `model=input/output/cached`, comma-separated. Throws an `Error` that names the wrong part. */
export function parseModelPrices(text: string): ModelPrices {
  const parts = text.split(',').flatMap((part) => part.trim() || []);
  if (parts.length > maxModels) throw new Error(`must name at most ${maxModels} models`);
  const prices = new Map<string, ModelPrice>();
  for (const part of parts) {
    const [, model, input, output, cached = input] = entry.exec(part) ?? [];
    if (model === undefined) {
      throw new Error(
        `${part} must be like small=0.15/0.6 or small=0.15/0.6/0.075, with prices below 1000000 and at most 6 decimals`,
      );
    }
    if (prices.has(model)) throw new Error(`names ${model} twice`);
    prices.set(model, { input: Number(input), cached: Number(cached), output: Number(output) });
  }
  return prices;
}

/** Returns null if the price, the input tokens or the output tokens are unknown. Unknown cached tokens count as not cached. */
export function costOf(tokens: ModelUsage | null, price: ModelPrice | undefined): number | null {
  if (price === undefined || tokens === null || tokens.input === null || tokens.output === null) return null;
  const cached = Math.min(tokens.cached ?? 0, tokens.input);
  const millionths =
    (tokens.input - cached) * price.input + cached * price.cached + tokens.output * price.output;
  return millionths / 1e6;
}

/** Returns null if the cost of a call is unknown. */
export const costOfCalls = (usage: readonly StepUsage[], prices: ModelPrices): number | null =>
  usage.reduce<number | null>((sum, { model, tokens }) => {
    const cost = costOf(tokens, prices.get(model));
    return sum === null || cost === null ? null : sum + cost;
  }, 0);
