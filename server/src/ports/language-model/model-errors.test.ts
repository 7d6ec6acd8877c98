import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createModelError } from './model-errors.ts';

const classify = (status: number, message: string, body = '') => {
  const { kind, tooLongBy } = createModelError({
    status,
    message,
    retryAfter: null,
    cause: null,
    text: `${message} ${body}`,
  });
  return tooLongBy === null ? kind : { kind, tooLongBy: Math.round(tooLongBy * 100) / 100 };
};

test('recognizes that a prompt is too long, and by how much', () => {
  for (const [status, message, tooLongBy, body] of [
    [
      400,
      "This model's maximum context length is 4096 tokens. However, you requested 5120 tokens (4800 in the messages, 320 in the completion). Please reduce the length of the messages or completion.",
      1.25,
    ],
    [400, "This model's maximum context length is 131,072 tokens. However, you requested 262,144 tokens", 2],
    [400, 'Bad Request', 2, '{"error":{"code":"context_length_exceeded"}}'],
    [400, 'prompt is too long: 210000 tokens > 200000 maximum', 1.05],
    [400, 'the request exceeds the available context size. try increasing the context size', 2],
    [500, 'the request exceeds the available context size, try increasing it', 2],
    [400, 'request (8192 tokens) exceeds the available context size (4096 tokens), try increasing it', 2],
    [400, 'The decoder prompt (length 6000) is longer than the maximum model length of 4000.', 1.5],
    [400, "The input (6000 tokens) is longer than the model's context length (4000 tokens).", 1.5],
    [
      400,
      'Trying to keep the first 6000 tokens when context the overflows. However, the model is loaded with context length of only 4000 tokens',
      1.5,
    ],
    [
      422,
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4000. Given: 6000 `inputs` tokens',
      1.5,
    ],
    [
      413,
      'Request too large for model `llama` on tokens per minute (TPM): Limit 6000, Requested 9000',
      1.5,
      'billing',
    ],
    [
      429,
      'Request too large for gpt-4o in organization org on tokens per min (TPM): Limit 30000, Requested 45000',
      1.5,
    ],
    [413, 'Payload Too Large', 2],
    [413, 'Request body too large for gpt-4o model. Max size: 8000 tokens.', 2, 'tokens_limit_reached'],
    [400, 'The input token count (1500000) exceeds the maximum number of tokens allowed (1000000).', 1.5],
    [
      400,
      'Prompt contains 48000 tokens and 0 draft tokens, too large for model with 32000 maximum context length',
      1.5,
    ],
    [400, 'Input is too long for requested model.', 2],
    [400, 'Range of input length should be [1, 30720]', 2],
    [400, "This model's maximum prompt length is 100000 but the request contains 150000 tokens.", 1.5],
    [400, 'the input length exceeds the context length', 2],
    [400, 'too many tokens: total number of tokens in the prompt cannot exceed 4000 - received 6000', 1.5],
    [
      400,
      'Please reduce the length of the messages or completion. Current length is 6000 while limit is 4000',
      1.5,
    ],
  ] as const)
    assert.deepEqual(classify(status, message, body), { kind: 'rejected', tooLongBy }, message);
});

test('repeats only failures that can pass', () => {
  for (const [status, message, kind] of [
    [400, 'Invalid request body', 'rejected'],
    [405, 'Method Not Allowed', 'rejected'],
    [415, 'Unsupported media type', 'rejected'],
    [422, 'Unprocessable Entity', 'rejected'],
    [404, 'No endpoints found that support image input', 'rejected'],
    [500, 'Jinja Exception: Conversation roles must alternate user/assistant', 'rejected'],
    [400, 'Error rendering prompt with jinja template', 'rejected'],
    [404, 'The model `x` does not exist', 'invalid_config'],
    [400, 'Model is loading, please try again', 'transient'],
    [408, 'Request Timeout', 'transient'],
    [409, 'Conflict', 'transient'],
    [500, 'Internal Server Error', 'transient'],
    [502, 'Bad Gateway', 'transient'],
    [503, 'Loading model', 'transient'],
    [529, 'Overloaded', 'transient'],
    [429, 'Slow down', 'rate_limited'],
    [
      429,
      'Rate limit reached. Please try again in 7.66s. Need more tokens? Upgrade at https://console.groq.com/settings/billing',
      'rate_limited',
    ],
    [429, 'You exceeded your current quota, please check your plan and billing details.', 'quota_exhausted'],
    [400, 'The response was filtered: content management policy', 'refused'],
  ] as const)
    assert.equal(classify(status, message), kind, message);
});
