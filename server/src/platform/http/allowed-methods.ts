import type { App } from './fastify-app.ts';

/** Returns the methods of the routes at a request target, as the value of an `Allow` header. Empty if there are none. */
export type ListAllowedMethods = (target: string) => string;

/** Must be installed before the routes. */
export function installAllowedMethods(app: App): ListAllowedMethods {
  const routes: { method: string; segments: string[] }[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat()) routes.push({ method: name, segments: url.split('/') });
  });
  return (target) => {
    const path = removeOrigin(target).split('?')[0] ?? target;
    const segments = path.split('/').map(decodeURIComponent);
    const methods = routes.filter((route) => matches(route.segments, segments)).map(({ method }) => method);
    return [...new Set(methods)].sort().join(', ');
  };
}

export const removeOrigin = (target: string): string => target.replace(/^https?:\/\/[^/?]*/i, '');

const matches = (pattern: readonly string[], segments: readonly string[]): boolean =>
  pattern.length === segments.length &&
  pattern.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]));
