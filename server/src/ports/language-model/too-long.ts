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
export function readTooLong(status: number, text: string, message: string): number | null {
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
