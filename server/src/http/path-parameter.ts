/** The part of the path that the route declares as `:name`. */
export function pathParameter(request: { params: unknown }, name = 'id'): string {
  // Fastify fills in every declared parameter, as text; its types know them only where the body's are given up.
  const value = (request.params as Record<string, string | undefined>)[name];
  if (value === undefined) throw new Error(`the route has no path parameter ${name}`);
  return value;
}
