export function pathParameter(request: { params: unknown }, name = 'id'): string {
  // Typing the parameters in Fastify would lose the inferred type of the body.
  const value = (request.params as Record<string, string | undefined>)[name];
  if (value === undefined) throw new Error(`the route has no path parameter ${name}`);
  return value;
}
