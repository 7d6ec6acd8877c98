/** Returns `1` for each positive value. */
export function toSigns(vector: Float32Array): string {
  let signs = '';
  for (const value of vector) signs += value > 0 ? '1' : '0';
  return signs;
}

export const encodeVector = (vector: Float32Array): Uint8Array =>
  new Uint8Array(new Float16Array(vector).buffer);

// The copy is aligned, which typed arrays require. Arithmetic on float32 is several times faster.
export const decodeVector = (bytes: Uint8Array): Float32Array =>
  new Float32Array(new Float16Array(Uint8Array.from(bytes).buffer));

/** Returns the dot product, which is the cosine of vectors of length 1. */
export function multiplyVectors(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}
