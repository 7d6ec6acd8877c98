import fastifySwaggerUi from '@fastify/swagger-ui';
import type { App } from '../fastify-app.ts';

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
