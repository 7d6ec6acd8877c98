/**
 * Returns the number of active messages that a monthly quota allows: "5% above the monthly quota is allowed before
 * blocking" (Limits, soft margin), rounded down. Uses integer arithmetic, exact up to 2,147,483,647.
 */
export function activeMessageLimit(quota: number): number {
  const hundredths = quota * 105;
  return (hundredths - (hundredths % 100)) / 100;
}
