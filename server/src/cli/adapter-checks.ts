import { randomUUID } from 'node:crypto';
import type { AssistantProvider } from '../adapters/assistant-provider/assistant-provider.ts';
import type { GuardedEmbedding } from '../adapters/embedding/guarded-embedding.ts';
import type { FileStore } from '../adapters/file-store/file-store.ts';
import { importWhatsapp, installWhatsapp } from '../adapters/messaging-network/whatsapp-package.ts';
import type { Speech } from '../adapters/speech/speech.ts';
import type { Config } from '../config.ts';
import type { Check } from './findings.ts';

interface Adapters {
  provider: Pick<AssistantProvider, 'name' | 'checkModel'>;
  embedding: GuardedEmbedding | null;
  speech: Speech;
  fileStore: FileStore;
}

/** One check for each outside system that the configuration names. Each makes a real call. */
export function adapterChecks(config: Config, adapters: Adapters): Check[] {
  return [
    ...providerChecks(config, adapters),
    ...(adapters.embedding === null ? [] : [embeddingCheck(adapters.embedding)]),
    ...speechChecks(config, adapters.speech),
    {
      name: `file store (${adapters.fileStore.name})`,
      fix:
        config.FILE_STORE === 's3'
          ? 'check the S3_ variables, and that the key may list, read, write and delete in the bucket'
          : 'make sure that this user may write there and that the disk is not full',
      run: () => checkFileStore(adapters.fileStore),
    },
    networkCheck(config),
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
              await provider.checkModel(level, signal);
              return `${provider.name} responds`;
            },
          } satisfies Check,
        ],
  );
}

const embeddingCheck = (embedding: NonNullable<Adapters['embedding']>): Check => ({
  name: `embedding model ${embedding.model}`,
  fix: 'check EMBEDDING_BASE_URL, EMBEDDING_API_KEY and EMBEDDING_MODEL',
  async run(signal) {
    const [vector] = await embedding.embed(['A test.'], 'passages', signal);
    return `returns vectors of ${vector?.length ?? 0} dimensions`;
  },
});

function speechChecks({ SPEECH_PROVIDER: name }: Config, { synthesize }: Adapters['speech']): Check[] {
  if (name === 'none' || synthesize === null) return [];
  return [
    {
      name: `speech (${name})`,
      fix: 'check SPEECH_BASE_URL, SPEECH_API_KEY, SPEECH_MODEL and SPEECH_VOICE',
      async run(signal) {
        const { seconds } = await synthesize('Test.', signal);
        return `spoke for ${seconds.toFixed(1)} s`;
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

function networkCheck({ MESSAGING_NETWORK: network, SIMULATOR_URL: url }: Config): Check {
  const name = `messaging network (${network})`;
  if (network === 'whatsapp') {
    return {
      name,
      fix: `run ${installWhatsapp}`,
      async run() {
        await importWhatsapp();
        return 'the optional package is installed';
      },
    };
  }
  return {
    name,
    fix: 'start a process with ROLES=simulator, or correct SIMULATOR_URL',
    async run(signal) {
      if (url === null) return 'the process with all roles hosts it';
      await fetch(url, { signal, redirect: 'manual' });
      return `${url} responds`;
    },
  };
}
