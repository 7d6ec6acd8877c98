import fastifySwaggerUi from '@fastify/swagger-ui';
import type { App } from '../app.ts';

/** Nothing inline runs and nothing is loaded from, or sent to, another host. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The API reference for people, made from the OpenAPI document in the reader's browser; every file of it is ours. */
export async function installReference(app: App): Promise<void> {
  await app.register(async (scope: App) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public' };
    });
    await scope.register(fastifySwaggerUi, {
      routePrefix: '/api/openapi/reference',
      staticCSP: contentSecurityPolicy,
      theme: { title: 'Parley API reference' },
      uiConfig: { layout: 'BaseLayout', filter: true, showExtensions: true, defaultModelsExpandDepth: 0 },
    });
  });
}
