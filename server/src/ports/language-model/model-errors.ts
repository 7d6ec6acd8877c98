import { ProviderError } from '../provider-error.ts';

/** Providers report a used-up budget with various statuses, but name it in the body. */
const exhausted =
  /insufficient[_ ]quota|credit balance|billing|quota exceeded for (?:quota )?metric.*per ?day/i;
/** Some rate limits advertise a higher tier with a link to the billing page. */
const limitedRate = /rate_limit_exceeded|try again in \d/i;
/** Google reports a refused key with status 400. */
const refusedKey = /api key not valid|api_key_invalid/i;
/** Errors of the configuration rather than of this request. */
const misconfigured =
  /model[_ ]not[_ ]found|invalid model|unknown model|model .*does not exist|unsupported (?:parameter|value)/i;
/** Ollama, OpenAI, vLLM, llama.cpp, OpenRouter, Groq, LiteLLM and Google, in this order. */
const refusedTools =
  /not support (?:the )?(?:tool|function)|['"`]?tools?\b(?:[_ ](?:choice|use|calling|calls?))?['"`]?.{0,30}not (?:supported|enabled)|enable-auto-tool-choice|tools param requires|support tool use|unrecognized.{0,40}\btools\b|parameters: \[[^\]]*'tools'|function calling is not/i;
const refusedContent = /content[_ ]?(?:policy|filter|management)|safety/i;
/** OpenRouter has no model for the content of this request, such as its images. */
const unroutable = /no endpoints found/i;
/** llama.cpp reports with status 500 that the template of the model refuses the conversation. */
const refusedTemplate = /jinja|chat template/i;
const passing = /loading|try again|temporar|overloaded|unavailable|time[d ]?out/i;
const passingStatuses: readonly number[] = [408, 409, 425, 429];

interface FailedCall {
  /** Undefined if there was no response. */
  status: number | undefined;
  message: string;
  /** The message and the body, which may name the reason. */
  text: string;
  /** The header. */
  retryAfter: string | null;
  /** Whether the request had tools. */
  hasTools?: boolean;
  cause: unknown;
}

/** Finds out how the caller should react to a failed call of a model's provider. */
export function createModelError({
  status,
  message,
  text,
  retryAfter,
  hasTools = false,
  cause,
}: FailedCall): ProviderError {
  const fail = (kind: ProviderError['kind']) => new ProviderError(kind, message, { cause });
  // A response with status 200 may be cut off.
  if (status === undefined || status < 400) return fail('transient');
  const tooLongBy = readTooLong(status, text, message);
  if (tooLongBy !== null) return new ProviderError('rejected', message, { cause, tooLongBy });
  const isLimited = status === 429 && limitedRate.test(text) && !/insufficient[_ ]quota/i.test(text);
  if (status === 402 || (status < 500 && exhausted.test(text) && !isLimited)) return fail('quota_exhausted');
  if (status === 401 || status === 403 || refusedKey.test(text)) return fail('auth');
  if (hasTools && [400, 404, 422, 500, 501].includes(status) && refusedTools.test(text))
    return new ProviderError('rejected', message, { cause, refusesTools: true });
  if (unroutable.test(text)) return fail('rejected');
  if (status === 404 || (status < 500 && status !== 429 && misconfigured.test(text)))
    return fail('invalid_config');
  if (status === 429) {
    const seconds = readRetryAfter(retryAfter);
    return new ProviderError('rate_limited', message, {
      cause,
      ...(seconds === null ? {} : { retryAfter: seconds }),
    });
  }
  if (status < 500 && refusedContent.test(text)) return fail('refused');
  const isLasting = status < 500 ? !passingStatuses.includes(status) : refusedTemplate.test(text);
  return fail(isLasting && !passing.test(text) ? 'rejected' : 'transient');
}

/** Returns seconds. RFC 9110 allows seconds and a date. */
function readRetryAfter(value: string | null): number | null {
  if (value === null) return null;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}

/** The words of OpenAI, Azure, vLLM, SGLang, TGI, llama.cpp, LM Studio, Ollama and gateways for a prompt that is too long. */
const wordings = [
  /context[_ ](?:length|window|size)|(?:exceed|overflow)\w* (?:the )?(?:available )?context|context (?:the )?overflow/,
  /maximum (?:model|prompt|input|sequence|context)[_ ](?:length|size|tokens)/,
  /(?:prompt|input|request|message|query)s?(?: body)? (?:is |are )?too (?:long|large)/,
  /input[_ ]length|(?:input|prompt) token count|too many (?:input |prompt )?tokens|tokens_limit_reached/,
  /number of (?:input |prompt )?tokens|tokens.{0,40}(?:exceed|greater than|larger than|longer than)/,
  /(?:exceed|greater than|larger than|longer than).{0,40}(?:tokens|maximum length)|too large for model/,
  /reduce (?:the |your )?(?:length|size|prompt|messages?|input)|max_new_tokens.{0,20}must be|string_above_max_length/,
];
const isTooLong = new RegExp(wordings.map(({ source }) => source).join('|'), 'i');
const statuses: readonly number[] = [400, 413, 422, 500];
/** A limit per minute that one request exceeds by itself. */
const exceedsRate = /request too large/i;
/** The factor if the message has no numbers. */
const usualFactor = 2;
const largestFactor = 20;

/** Returns by which factor a request is longer than its model accepts, or null if its length is not the reason of the failure. */
function readTooLong(status: number, text: string, message: string): number | null {
  const isKnown =
    status === 413 ||
    (status === 429 && exceedsRate.test(text)) ||
    (statuses.includes(status) && isTooLong.test(text) && !isAboutOutput.test(text));
  return isKnown ? readFactor(message) : null;
}

/** `max_tokens` of the answer, which Parley does not send to these servers. */
const isAboutOutput = /max_(?:completion_)?tokens (?:is|must|should|parameter)/i;

/** Most messages name the limit and the length. */
function readFactor(message: string): number {
  const numbers = [
    ...message.replaceAll(/(?<=\d),(?=\d{3})/g, '').matchAll(/(?<![\w.-])\d{3,9}(?![\w-]|\.\d)/g),
  ]
    .map(Number)
    .filter((number) => number >= 256);
  const [first = 0] = numbers;
  const second = numbers.find((number) => number !== first) ?? 0;
  const factor = Math.max(first, second) / Math.min(first, second);
  return factor > 1 && factor <= largestFactor ? factor : usualFactor;
}
