import type { OpenAI } from 'openai';
import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInputItem,
  ResponseOutputItem,
  ResponseOutputText,
  Tool,
} from 'openai/resources/responses/responses';
import type {
  FoundPassage,
  LanguageModel,
  ModelMessage,
  ModelRequest,
  ModelResponse,
  ModelUsage,
} from '../../../ports/language-model/language-model.ts';
import { ProviderError } from '../../../ports/provider-error.ts';
import { documentAttribute } from './hosted-objects.ts';
import { toHostedError } from './openai-calls.ts';
import { readTitle } from './owner-tags.ts';

const maxPassages = 8;

/** OpenAI's Responses with a search of OpenAI's vector stores. Nothing of a conversation is kept at OpenAI. */
export function createHostedModel(client: OpenAI): LanguageModel {
  return {
    name: 'openai-hosted',
    async generate(request, signal) {
      signal.throwIfAborted();
      try {
        const response = await client.responses.create(toParameters(request), { signal });
        return toModelResponse(response, request);
      } catch (error) {
        signal.throwIfAborted();
        throw toHostedError(error);
      }
    },
  };
}

/** These models refuse a temperature. The others refuse encrypted reasoning. */
const reasons = (model: string): boolean =>
  /^(?:o\d|gpt-(?:[5-9]|\d{2}))/.test(model) && !model.includes('chat');

function toParameters(request: ModelRequest): ResponseCreateParamsNonStreaming {
  const { model, system, temperature } = request;
  const tools = toTools(request);
  const searches = tools.some(({ type }) => type === 'file_search');
  return {
    model,
    instructions: system,
    input: toInput(request),
    store: false,
    include: [
      ...(reasons(model) ? (['reasoning.encrypted_content'] as const) : []),
      ...(searches ? (['file_search_call.results'] as const) : []),
    ],
    ...(tools.length === 0 ? {} : { tools }),
    ...(reasons(model) ? {} : { temperature }),
  };
}

function toTools({ tools, fileSearch }: ModelRequest): Tool[] {
  const functions = tools.map(({ name, description, parameters }) => ({
    type: 'function' as const,
    name,
    description,
    parameters: { ...parameters },
    strict: false,
  }));
  if (fileSearch === undefined) return functions;
  const search: Tool = {
    type: 'file_search',
    vector_store_ids: [fileSearch.storeRef],
    max_num_results: maxPassages,
    // The store may also hold documents that this version of the bot does not use.
    filters: { type: 'in', key: documentAttribute, value: [...fileSearch.documentRefs] },
  };
  return [search, ...functions];
}

function toInput({ messages, state }: ModelRequest): ResponseInputItem[] {
  // Written by `toModelResponse`.
  const kept = [...(state ?? [])] as (ResponseInputItem[] | null)[];
  const converted = [...messages].reverse().map((message) => {
    // The last steps with tool calls are those of this answer.
    const output = message.role === 'assistant' && message.toolCalls.length > 0 ? kept.pop() : undefined;
    return output ?? toInputItems(message);
  });
  return converted.reverse().flat();
}

function toInputItems(message: ModelMessage): ResponseInputItem[] {
  switch (message.role) {
    case 'user':
      return [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: message.text },
            ...(message.images ?? []).map(({ mimeType, bytes }) => ({
              type: 'input_image' as const,
              detail: 'auto' as const,
              image_url: `data:${mimeType};base64,${Buffer.from(bytes).toString('base64')}`,
            })),
          ],
        },
      ];
    case 'assistant':
      return [
        ...(message.text === '' ? [] : [{ role: 'assistant' as const, content: message.text }]),
        ...message.toolCalls.map((call) => ({
          type: 'function_call' as const,
          call_id: call.callId,
          name: call.tool,
          arguments: call.arguments,
        })),
      ];
    case 'tool':
      return message.results.map(({ callId, result }) => ({
        type: 'function_call_output' as const,
        call_id: callId,
        output: result,
      }));
    default:
      return message satisfies never;
  }
}

function toModelResponse(
  { output, usage, status, incomplete_details, error }: Response,
  request: ModelRequest,
): ModelResponse {
  if (status === 'failed' || status === 'cancelled')
    throw new ProviderError('transient', `The model ended with ${error?.message ?? status}`);
  const toolCalls = output.flatMap((item) =>
    item.type === 'function_call'
      ? [{ callId: item.call_id, tool: item.name, arguments: removeMarkers(item.arguments) }]
      : [],
  );
  const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
  const text = parts.map((part) => (part.type === 'output_text' ? removeMarkers(part.text) : '')).join('');
  const isRefused =
    incomplete_details?.reason === 'content_filter' || parts.some(({ type }) => type === 'refusal');
  const state = [...(request.state ?? []), output];
  return {
    text,
    toolCalls,
    usage: toUsage(usage),
    finishReason: isRefused
      ? 'refused'
      : status === 'incomplete'
        ? 'length'
        : toolCalls.length > 0
          ? 'tool_calls'
          : 'stop',
    state,
    // Earlier steps of the answer may have searched.
    passages: (state as (ResponseOutputItem[] | null)[]).flatMap((items) =>
      (items ?? []).flatMap(readPassages),
    ),
    cited: parts.flatMap((part) =>
      part.type === 'output_text' ? part.annotations.flatMap(readCitation) : [],
    ),
  };
}

/** Models mark quotes of files in a notation that only OpenAI's own products show. */
const removeMarkers = (text: string): string => text.replaceAll(/ ?【[^】]{1,80}】/g, '');

const readPassages = (item: ResponseOutputItem): FoundPassage[] =>
  item.type !== 'file_search_call'
    ? []
    : (item.results ?? []).flatMap(({ file_id, filename, text, score }) =>
        file_id === undefined || text === undefined
          ? []
          : [
              {
                documentRef: file_id,
                file: filename ?? file_id,
                document: readTitle(filename ?? file_id),
                text,
                score: score ?? 0,
              },
            ],
      );

const readCitation = (annotation: ResponseOutputText['annotations'][number]): string[] =>
  annotation.type === 'file_citation' ? [annotation.filename] : [];

const toUsage = (usage: Response['usage']): ModelUsage | null =>
  usage === undefined
    ? null
    : {
        input: usage.input_tokens,
        cached: usage.input_tokens_details?.cached_tokens ?? null,
        output: usage.output_tokens,
        reasoning: usage.output_tokens_details?.reasoning_tokens ?? null,
      };
