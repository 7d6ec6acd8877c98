import { parseModelPrices } from '../tenancy/usage/model-prices.ts';
import { entry } from './config-entry.ts';
import { boolean, integer, limitedText, oneOf, optional, url } from './config-values.ts';

/** Variables of language models, embeddings and speech (docs/models.md). */
export const modelEntries = {
  ASSISTANT_PROVIDER: entry(
    'embedded',
    'Source of the answers. embedded quotes the knowledge of the bot, without a key or a network. openai, anthropic, google, mistral and openai-compatible use a language model. openai-hosted also keeps the documents at OpenAI (docs/models.md).',
    oneOf('embedded', 'openai', 'anthropic', 'google', 'mistral', 'openai-compatible', 'openai-hosted'),
  ),
  MODEL_API_KEY: entry(
    '',
    'Key of the language model’s provider. Required, except with openai-compatible.',
    optional(limitedText(1000)),
  ),
  MODEL_BASE_URL: entry(
    '',
    'Base address of the language model’s API, like http://127.0.0.1:11434/v1. Required with openai-compatible. Default: the address of the provider.',
    optional(url),
  ),
  MODEL_LEVEL_1: entry(
    '',
    'The provider’s id of the model of bots with `chat_model_level` 1.',
    optional(limitedText(200)),
  ),
  MODEL_LEVEL_2: entry('', 'Model of level 2. Default: that of level 1.', optional(limitedText(200))),
  MODEL_LEVEL_3: entry('', 'Model of level 3. Default: that of level 2.', optional(limitedText(200))),
  MODEL_TIMEOUT_SECONDS: entry(
    '30',
    'Seconds after which a call of the model counts as failed.',
    integer(1, 600),
  ),
  MODEL_CONCURRENCY: entry(
    '16',
    'Calls of the model that this process makes at once. The teams take turns.',
    integer(1, 10_000),
  ),
  MODEL_PRICES: entry(
    '',
    'Prices per million tokens, comma-separated: `model=input/output` or `model=input/output/cached`, like `small=0.15/0.6/0.075`. Without the third figure, tokens from the provider’s cache cost as much as other input. Costs of other models are unknown.',
    parseModelPrices,
  ),
  MODEL_FALLBACK: entry(
    'embedded',
    'Source of the answers while the model fails: embedded (quotes), or none (the contact waits).',
    oneOf('embedded', 'none'),
  ),
  MODEL_VISION: entry(
    'false',
    'Whether the models accept images. Images of contacts are then sent to them.',
    boolean,
  ),
  OPENAI_HOSTED_API_KEY: entry(
    '',
    'Key of OpenAI while documents move away from openai-hosted to another provider. Default with ASSISTANT_PROVIDER=openai: MODEL_API_KEY.',
    optional(limitedText(1000)),
  ),
  OPENAI_HOSTED_BASE_URL: entry(
    '',
    'Base address of OpenAI’s API while documents move away. Default with ASSISTANT_PROVIDER=openai: MODEL_BASE_URL.',
    optional(url),
  ),
  OPENAI_HOSTED_MODEL: entry(
    '',
    'Model of OpenAI with which bots answer until their documents are moved. Default with ASSISTANT_PROVIDER=openai: the models of the levels.',
    optional(limitedText(200)),
  ),
  EMBEDDING_MODEL: entry(
    '',
    'Model that finds pairs and passages by meaning, besides the search by words. Set the same one in every process. Absent: words only. Not used with ASSISTANT_PROVIDER=embedded.',
    optional(limitedText(200)),
  ),
  EMBEDDING_BASE_URL: entry(
    '',
    'Address of the OpenAI-compatible service with EMBEDDING_MODEL, like https://api.openai.com/v1. It receives the texts of all documents.',
    optional(url),
  ),
  EMBEDDING_API_KEY: entry(
    '',
    'API key for EMBEDDING_BASE_URL. Absent: requests have no key.',
    optional(limitedText(1000)),
  ),
  SPEECH_PROVIDER: entry(
    'none',
    'Service that speaks answers and transcribes voice notes: none or openai-compatible (docs/models.md).',
    oneOf('none', 'openai-compatible'),
  ),
  SPEECH_BASE_URL: entry(
    '',
    'Base address of the speech service, like https://api.openai.com/v1. Required with openai-compatible.',
    optional(url),
  ),
  SPEECH_API_KEY: entry('', 'Key of the speech service. Absent: none.', optional(limitedText(1000))),
  SPEECH_MODEL: entry(
    '',
    'Model that speaks. Absent: answers are text, and `send_as_audio` is refused.',
    optional(limitedText(200)),
  ),
  SPEECH_VOICE: entry('', 'Voice of SPEECH_MODEL. Required with it.', optional(limitedText(200))),
  TRANSCRIPTION_MODEL: entry(
    '',
    'Model that transcribes voice notes. Absent: voice notes are not transcribed.',
    optional(limitedText(200)),
  ),
};
