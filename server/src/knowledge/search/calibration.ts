import fitted from './calibration.json' with { type: 'json' };

/**
 * Measured parameters. `bench/answers/calibrate.ts` fits `ranking`, `sentence`, `confidence` and `leastConfidence` on the
 * questions about even-numbered paragraphs of `bench/answers/sets`, over all languages. Decision 14 says how `pair` was fitted.
 *
 * - `pair`: log-odds that a pair answers the question, above the threshold for an answer
 * - `ranking`: log-odds that a passage contains the answer
 * - `sentence`: log-odds that a sentence of the best passages contains it
 * - `confidence`: log-odds that the quotes answer the question at all
 * - `leastConfidence`: below this probability, the provider says that it does not know
 */
export const calibration = fitted;

interface LogisticModel<Name extends string> {
  readonly bias: number;
  readonly weights: Readonly<Record<Name, number>>;
}

export type Features<Model extends { weights: object }> = Record<keyof Model['weights'] & string, number>;

export function logOdds<Name extends string>(
  model: LogisticModel<Name>,
  features: Readonly<Record<Name, number>>,
): number {
  let total = model.bias;
  for (const name in features) total += model.weights[name] * features[name];
  return total;
}

export const probability = (...of: Parameters<typeof logOdds>): number => 1 / (1 + Math.exp(-logOdds(...of)));
