import fitted from './calibration.json' with { type: 'json' };

/**
 * The numbers of the embedded provider that come from measuring and not from reasoning. `calibration.json` is written
 * by `bench/answers/calibrate.ts`: logistic regressions on the questions on even-numbered paragraphs of
 * `bench/answers/sets`, in all its languages together. `bench/answers/answers.ts` reports on the others.
 *
 * - `ranking`: log-odds that a passage holds the answer
 * - `sentence`: log-odds that a sentence of the best passages does
 * - `confidence`: log-odds that what is quoted answers the question at all
 * - `leastConfidence`: the chance below which the provider says that it does not know
 */
export const CALIBRATION = fitted;

interface LogisticModel<Name extends string> {
  readonly bias: number;
  readonly weights: Readonly<Record<Name, number>>;
}

/** Features of the given names, each about 0..1. */
export type Features<Model extends { weights: object }> = Record<keyof Model['weights'] & string, number>;

/** A logistic model's log-odds for the features. */
export function logOdds<Name extends string>(
  model: LogisticModel<Name>,
  features: Readonly<Record<Name, number>>,
): number {
  let total = model.bias;
  for (const name in features) total += model.weights[name] * features[name];
  return total;
}

/** A logistic model's chance, 0..1, for the features. */
export function chance<Name extends string>(
  model: LogisticModel<Name>,
  features: Readonly<Record<Name, number>>,
): number {
  return 1 / (1 + Math.exp(-logOdds(model, features)));
}
