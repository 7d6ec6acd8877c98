export interface Example<Name extends string> {
  features: Readonly<Record<Name, number>>;
  label: boolean;
}

export interface FittedModel<Name extends string> {
  bias: number;
  weights: Record<Name, number>;
}

/** The strength of the regularization. */
const ridgeStrength = 1e-3;
const mostSteps = 30;

/** Fits a logistic regression by Newton's method on standardized features. */
export function fitLogistic<Name extends string>(
  names: readonly Name[],
  examples: readonly Example<Name>[],
): FittedModel<Name> {
  const scales = names.map((name) => scaleOf(examples.map(({ features }) => features[name])));
  const rows = examples.map(({ features }) => [
    1,
    ...names.map(
      (name, column) => (features[name] - (scales[column]?.mean ?? 0)) / (scales[column]?.deviation ?? 1),
    ),
  ]);
  const labels = examples.map(({ label }) => (label ? 1 : 0));
  let weights = Array.from({ length: names.length + 1 }, () => 0);
  for (let step = 0; step < mostSteps; step += 1) {
    const change = newtonStep(rows, labels, weights);
    weights = weights.map((weight, index) => weight - (change[index] ?? 0));
    if (change.every((each) => Math.abs(each) < 1e-6)) break;
  }
  const unscaled = names.map((_, column) => (weights[column + 1] ?? 0) / (scales[column]?.deviation ?? 1));
  const shift = unscaled.reduce((sum, weight, column) => sum + weight * (scales[column]?.mean ?? 0), 0);
  const pairs = names.map((name, column) => [name, unscaled[column] ?? 0] as const);
  // The keys are the names.
  return { bias: (weights[0] ?? 0) - shift, weights: Object.fromEntries(pairs) as Record<Name, number> };
}

function scaleOf(values: readonly number[]): { mean: number; deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(variance) || 1 };
}

function newtonStep(
  rows: readonly number[][],
  labels: readonly number[],
  weights: readonly number[],
): number[] {
  const gradient = weights.map((weight, index) => (index === 0 ? 0 : ridgeStrength * rows.length * weight));
  const hessian = weights.map((_, i) =>
    weights.map((_, j) => (i === j && i > 0 ? ridgeStrength * rows.length : 0)),
  );
  for (const [index, row] of rows.entries()) {
    const logOdds = row.reduce((sum, value, column) => sum + value * (weights[column] ?? 0), 0);
    const probability = 1 / (1 + Math.exp(-logOdds));
    const error = probability - (labels[index] ?? 0);
    for (const [i, value] of row.entries()) {
      gradient[i] = (gradient[i] ?? 0) + error * value;
      const line = hessian[i];
      if (line === undefined) continue;
      for (const [j, other] of row.entries())
        line[j] = (line[j] ?? 0) + probability * (1 - probability) * value * other;
    }
  }
  return solve(hessian, gradient);
}

/** Solves a symmetric positive definite system by elimination. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const lines = matrix.map((line, index) => [...line, right[index] ?? 0]);
  for (const [pivot, line] of lines.entries()) {
    const divisor = line[pivot] ?? 1;
    for (const [column, value] of line.entries()) line[column] = value / divisor;
    for (const [index, other] of lines.entries()) {
      const factor = other[pivot] ?? 0;
      if (index === pivot || factor === 0) continue;
      for (const [column, value] of line.entries()) other[column] = (other[column] ?? 0) - factor * value;
    }
  }
  return lines.map((line) => line.at(-1) ?? 0);
}
