/**
 * Active messages that a month of this quota allows: "5% above the monthly quota is allowed before blocking" (Limits,
 * soft margin), in whole messages. `quota` is an integer from 0 to 2,147,483,647.
 */
export function activeMessageLimit(quota: number): number {
  const hundredths = quota * 105;
  return (hundredths - (hundredths % 100)) / 100;
}
