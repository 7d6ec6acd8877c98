export const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Returns the parts of `values` that differ from `before`. */
export function findEdits<Values extends object>(values: Values, before: Values): Partial<Values> {
  const old = new Map(Object.entries(before));
  const edited = Object.entries(values).filter(([name, value]) => !isSame(value, old.get(name)));
  // Each member has the name and the type of one of `values`.
  return Object.fromEntries(edited) as Partial<Values>;
}

/** Returns `fresh` with those parts of `values` that the user changed after they were `before`. */
export const keepEdits = <Values extends object>(values: Values, before: Values, fresh: Values): Values => ({
  ...fresh,
  ...findEdits(values, before),
});
