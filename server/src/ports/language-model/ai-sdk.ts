import type {
  LanguageModelV4,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { parseNearJson } from '../../platform/shared/near-json.ts';
import { ProviderError } from '../provider-error.ts';
import { createAdaptations } from './adaptations.ts';
import { readRefusal, toProviderError } from './ai-sdk-errors.ts';
import { type ChatBody, toStrictBody } from './chat-body.ts';
import type {
  LanguageModel,
  ModelMessage,
  ModelRequest,
  ModelResponse,
  ModelState,
  ModelUsage,
} from './language-model.ts';

export type ModelProvider = 'openai' | 'anthropic' | 'google' | 'mistral' | 'openai-compatible';

export interface AiSdkOptions {
  provider: ModelProvider;
  apiKey: string | null;
  /** Null means the provider's own address. `openai-compatible` requires one. */
  baseUrl: string | null;
}

type AssistantMessage = Extract<LanguageModelV4Message, { role: 'assistant' }>;
type AssistantPart = AssistantMessage['content'][number];

/** Changes of one request that a server refuses for several reasons. */
const maxAdaptations = 4;

/** Drives the provider's package of the AI SDK. It repeats a request only in a form that the server may accept. */
export async function createAiSdkModel(options: AiSdkOptions): Promise<LanguageModel> {
  const selectModel = await loadModelSelector(options);
  const adaptations = createAdaptations();
  return {
    name: options.provider,
    describeAdaptations: adaptations.describe,
    async generate(request, signal) {
      const { model, temperature } = request;
      const undo: (() => void)[] = [];
      for (;;) {
        let body: ChatBody | null = null;
        try {
          return await send(request, signal, {
            temperature: adaptations.temperatureFor(model, temperature),
            toBody(given) {
              body = adaptations.adapt(model, toStrictBody(given));
              return body;
            },
          });
        } catch (error) {
          signal.throwIfAborted();
          const text = readRefusal(error);
          const learned =
            text === null || undo.length === maxAdaptations
              ? null
              : adaptations.learn({ model, temperature, text }, body);
          if (learned === null) {
            for (const forget of undo) forget();
            throw toProviderError(error, request.tools.length > 0);
          }
          undo.push(learned);
        }
      }
    },
  };

  async function send(
    request: ModelRequest,
    signal: AbortSignal,
    { temperature, toBody }: { temperature: number | undefined; toBody: (body: ChatBody) => ChatBody },
  ): Promise<ModelResponse> {
    signal.throwIfAborted();
    const result = await selectModel(request.model, toBody).doGenerate({
      prompt: toPrompt(request),
      tools: request.tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        name,
        description,
        inputSchema: parameters,
      })),
      ...(temperature === undefined ? {} : { temperature }),
      // The package would reserve the largest output of the model, which counts against the rate limits of some accounts.
      ...(options.provider === 'anthropic' ? { maxOutputTokens: longestOutput } : {}),
      abortSignal: signal,
      // Conversations are not kept at the provider. Encrypted reasoning comes back in the result instead.
      providerOptions: { openai: { store: false } },
    });
    return toResponse(result, request.state ?? []);
  }
}

/** `toBody` changes the bodies of chat completions. */
type SelectModel = (model: string, toBody: (body: ChatBody) => ChatBody) => LanguageModelV4;

async function loadModelSelector({ provider, apiKey, baseUrl }: AiSdkOptions): Promise<SelectModel> {
  const settings = { apiKey: apiKey ?? '', ...(baseUrl === null ? {} : { baseURL: baseUrl }) };
  switch (provider) {
    case 'openai':
      return (await import('@ai-sdk/openai')).createOpenAI(settings).responses;
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(settings).languageModel;
    case 'google':
      return (await import('@ai-sdk/google')).createGoogle(settings).languageModel;
    case 'mistral':
      return (await import('@ai-sdk/mistral')).createMistral(settings).languageModel;
    case 'openai-compatible': {
      if (baseUrl === null) throw new Error('openai-compatible requires a base URL');
      const key = apiKey === null ? {} : { apiKey };
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      return (model, toBody) =>
        createOpenAICompatible({
          name: provider,
          baseURL: baseUrl,
          ...key,
          // The package builds it in this form.
          transformRequestBody: (body) => toBody(body as ChatBody),
        }).chatModel(model);
    }
    default:
      return provider satisfies never;
  }
}

function toPrompt({ system, messages, state }: ModelRequest): LanguageModelV4Message[] {
  const kept = [...(state ?? [])] as (AssistantMessage['content'] | null)[];
  const converted = [...messages].reverse().map((message): LanguageModelV4Message => {
    // The last steps with tool calls are those of this answer.
    const content = message.role === 'assistant' && message.toolCalls.length > 0 ? kept.pop() : null;
    return content == null ? toPromptMessage(message) : { role: 'assistant', content };
  });
  return [{ role: 'system', content: system, providerOptions: cached }, ...converted.reverse()];
}

/** In tokens. The longest answer that a contact would read is shorter. */
const longestOutput = 4096;

/** Anthropic caches marked beginnings only. The other providers cache a repeated beginning without a mark. */
const cached = { anthropic: { cacheControl: { type: 'ephemeral' } } };

function toPromptMessage(message: ModelMessage): LanguageModelV4Message {
  switch (message.role) {
    case 'user':
      return {
        role: 'user',
        content: [
          // Providers refuse an empty text.
          ...(message.text === '' ? [] : [{ type: 'text' as const, text: message.text }]),
          ...(message.images ?? []).map(({ mimeType, bytes }) => ({
            type: 'file' as const,
            mediaType: mimeType,
            data: { type: 'data' as const, data: bytes },
          })),
        ],
        ...(message.isStable === true ? { providerOptions: cached } : {}),
      };
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...(message.text === '' ? [] : [{ type: 'text' as const, text: message.text }]),
          ...message.toolCalls.map((call) => ({
            type: 'tool-call' as const,
            toolCallId: call.callId,
            toolName: call.tool,
            input: parseArguments(call.arguments),
          })),
        ],
      };
    case 'tool':
      return {
        role: 'tool',
        content: message.results.map(({ callId, tool, result }) => ({
          type: 'tool-result' as const,
          toolCallId: callId,
          toolName: tool,
          output: { type: 'text' as const, value: result },
        })),
      };
    default:
      return message satisfies never;
  }
}

function toResponse(result: LanguageModelV4GenerateResult, state: ModelState): ModelResponse {
  const { content, usage, finishReason } = result;
  const toolCalls = content.flatMap((part) =>
    part.type === 'tool-call' && part.providerExecuted !== true
      ? [{ callId: part.toolCallId, tool: part.toolName, arguments: part.input }]
      : [],
  );
  return {
    text: content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''),
    toolCalls,
    usage: toUsage(usage),
    finishReason: toFinishReason(finishReason, toolCalls.length > 0),
    state: [...state, content.flatMap(toPromptPart)],
  };
}

/** Keeps the provider's metadata of each part, which it needs to recognize its own reasoning. */
function toPromptPart(part: LanguageModelV4Content): AssistantPart[] {
  const metadata = part.providerMetadata === undefined ? {} : { providerOptions: part.providerMetadata };
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [{ type: part.type, text: part.text, ...metadata }];
    case 'tool-call':
      return [
        {
          type: 'tool-call',
          toolCallId: part.toolCallId,
          toolName: part.toolName,
          input: parseArguments(part.input),
          ...metadata,
        },
      ];
    default:
      return [];
  }
}

/** Providers refuse a history whose arguments are not a JSON object. */
function parseArguments(text: string): object {
  const value = parseNearJson(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): ModelUsage | null {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return null;
  return {
    input: inputTokens.total ?? null,
    cached: inputTokens.cacheRead ?? null,
    output: outputTokens.total ?? null,
    reasoning: outputTokens.reasoning ?? null,
  };
}

function toFinishReason(
  { unified, raw }: LanguageModelV4FinishReason,
  hasToolCalls: boolean,
): ModelResponse['finishReason'] {
  if (hasToolCalls && unified !== 'length') return 'tool_calls';
  switch (unified) {
    case 'content-filter':
      return 'refused';
    case 'length':
      return 'length';
    case 'error':
    case 'interrupted':
      throw new ProviderError('transient', `The model ended with ${raw ?? unified}`);
    default:
      return 'stop';
  }
}
