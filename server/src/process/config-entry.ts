export interface Entry<Value> {
  default: string;
  description: string;
  /** Throws an `Error` that describes the valid values. */
  parse: (text: string) => Value;
}

export function entry<Value>(
  fallback: string,
  description: string,
  parse: (text: string) => Value,
): Entry<Value> {
  return { default: fallback, description, parse };
}
