import type { Deployment } from '../lifecycle/compliance/compliance.ts';
import type { Config } from './config.ts';

/** Where the clients of `ports/language-model` call if MODEL_BASE_URL names no other address. */
const modelHosts: Readonly<Record<string, string>> = {
  openai: 'api.openai.com',
  'openai-hosted': 'api.openai.com',
  anthropic: 'api.anthropic.com',
  google: 'generativelanguage.googleapis.com',
  mistral: 'api.mistral.ai',
};

type Service = Deployment['services'][number];

/** Names the services that get data according to the configuration. */
export function describeDeployment(config: Config, disclosure: Deployment['disclosure']): Deployment {
  return {
    disclosure,
    offReason: config.DISCLOSURE_OFF_REASON,
    services: [...listServices(config)],
    storage: {
      database: config.DATABASE_URL === null ? 'embedded' : 'external',
      files: config.FILE_STORE,
      documents: config.ASSISTANT_PROVIDER === 'openai-hosted' ? 'provider' : 'database',
    },
  };
}

function* listServices(config: Config): Generator<Service> {
  const { ASSISTANT_PROVIDER: provider, MESSAGING_NETWORK: networks } = config;
  if (provider !== 'embedded') {
    const host = hostOf(config.MODEL_BASE_URL) ?? modelHosts[provider] ?? null;
    yield { kind: 'model', name: provider, host };
  }
  if (config.EMBEDDING_BASE_URL !== null)
    yield { kind: 'embedding', name: null, host: hostOf(config.EMBEDDING_BASE_URL) };
  if (config.SPEECH_PROVIDER !== 'none')
    yield { kind: 'speech', name: null, host: hostOf(config.SPEECH_BASE_URL) };
  for (const address of new Set([hostOf(config.DATABASE_URL), hostOf(config.DATABASE_READ_URL)]))
    if (address !== null) yield { kind: 'database', name: 'PostgreSQL', host: address };
  if (config.FILE_STORE === 's3') {
    const host = hostOf(config.S3_ENDPOINT) ?? `s3.${config.S3_REGION}.amazonaws.com`;
    yield { kind: 'files', name: 'S3', host };
  }
  for (const network of networks)
    if (network !== 'simulator' && network !== 'web') yield { kind: 'network', name: network, host: null };
  if (config.MAIL_URL !== null) yield { kind: 'mail', name: 'SMTP', host: hostOf(config.MAIL_URL) };
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT !== null)
    yield { kind: 'telemetry', name: 'OpenTelemetry', host: hostOf(config.OTEL_EXPORTER_OTLP_ENDPOINT) };
}

/** Null for a socket. */
const hostOf = (url: string | URL | null): string | null =>
  url === null || !URL.canParse(`${url}`) ? null : new URL(`${url}`).host || null;
