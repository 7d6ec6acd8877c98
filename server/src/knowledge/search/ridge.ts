import type { YieldControl } from './time-slices.ts';

/** Inverts a positive semidefinite matrix plus `ridge` on its diagonal, by Gauss-Jordan elimination. */
export async function invertRidge(
  matrix: readonly Float32Array[],
  ridge: number,
  yieldControl: YieldControl,
): Promise<Float64Array[]> {
  const rows = matrix.map((values, index) => {
    const row = Float64Array.from(values);
    row[index] = (row[index] ?? 0) + ridge;
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
