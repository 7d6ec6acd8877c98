import type { YieldControl } from './time-slices.ts';

/** A larger value trusts single pairs less. */
const ridgeStrength = 0.5;

/** Inverts a positive semidefinite matrix plus `ridgeStrength` on its diagonal, by Gauss-Jordan elimination. */
export async function invertRidge(
  matrix: readonly Float32Array[],
  yieldControl: YieldControl,
): Promise<Float64Array[]> {
  const rows = matrix.map((values, index) => {
    const row = Float64Array.from(values);
    row[index] = (row[index] ?? 0) + ridgeStrength;
    return row;
  });
  for (const [pivot, line] of rows.entries()) {
    await yieldControl();
    const divisor = line[pivot] ?? 1;
    line[pivot] = 1;
    for (let column = 0; column < line.length; column += 1) line[column] = (line[column] ?? 0) / divisor;
    for (const row of rows) {
      const factor = row[pivot] ?? 0;
      if (row === line || factor === 0) continue;
      row[pivot] = 0;
      for (let column = 0; column < row.length; column += 1)
        row[column] = (row[column] ?? 0) - factor * (line[column] ?? 0);
    }
  }
  return rows;
}
