import {
  type ChatBody,
  withoutEmptyTexts,
  withoutMember,
  withoutSystemMessage,
  withoutToolMessages,
  withShortCallIds,
  withSingleCalls,
} from './chat-body.ts';

/** A change to requests for a model whose server refuses them as they are. */
interface Adaptation {
  /** For the operator. */
  description: string;
  adapt(body: ChatBody): ChatBody;
}

interface KnownAdaptation extends Adaptation {
  /** The words of servers and chat templates. */
  refusal: RegExp;
  /** Whether the adaptation changes such a request. */
  concerns(body: ChatBody): boolean;
}

const hasRole = (role: string) => (body: ChatBody) => body.messages.some((message) => message.role === role);

const wrongRoles =
  /roles? must alternate|only user(?:,| and) assistant|(?:unexpected|invalid|unsupported|unknown) (?:message )?role|role ['"`]?tool|tool (?:role|message)s? (?:is|are) not|(?:last|final) message must|expected last role|after the (?:optional )?system message/i;

const outputTokens = 4096;

const addsOutputLimit = (name: string): KnownAdaptation => ({
  description: `sends ${name} ${outputTokens}`,
  refusal: new RegExp(
    `${name}\\W.{0,40}(?:required|missing|must be (?:set|specified|provided))|missing.{0,40}${name}\\b|use '${name}'`,
    'i',
  ),
  concerns: (body) => body[name] === undefined,
  adapt: ({ max_tokens: _, ...body }) => ({ ...body, [name]: outputTokens }),
});

const dropsMember = (name: string): KnownAdaptation => ({
  description: `leaves out ${name}`,
  refusal: new RegExp(`^(?!.*missing).*\\b${name}\\b`, 'is'),
  concerns: (body) => JSON.stringify(body).includes(`"${name}":`),
  adapt: (body) => withoutMember(body, name),
});

/** The first one that fits is tried. */
const knownAdaptations: readonly KnownAdaptation[] = [
  {
    description: 'splits steps with several calls into steps with one call',
    refusal:
      /single tool[- ]?calls?|(?:multiple|parallel|several) tool[- _]?calls?|only (?:one|1) tool[- ]?call|tool[- ]?calls at once/i,
    concerns: ({ messages }) => messages.some(({ tool_calls: calls = [] }) => calls.length > 1),
    adapt: withSingleCalls,
  },
  {
    description: 'gives calls ids of nine characters',
    refusal: /tool[- _]?call[- _]?ids?.{0,60}(?:alphanumeric|length|a-z)|function call id.{0,60}length/is,
    concerns: hasRole('tool'),
    adapt: withShortCallIds,
  },
  {
    description: 'puts the system message into the first message of the user',
    refusal:
      /(?:system|developer) (?:role|message|instruction|prompt)s? (?:is |are )?not (?:supported|allowed|enabled)|not support (?:the )?system/i,
    concerns: hasRole('system'),
    adapt: withoutSystemMessage,
  },
  {
    description: 'writes calls and their results as text',
    refusal: wrongRoles,
    concerns: hasRole('tool'),
    adapt: withoutToolMessages,
  },
  {
    description: 'puts the system message into the first message of the user',
    refusal: wrongRoles,
    concerns: hasRole('system'),
    adapt: withoutSystemMessage,
  },
  {
    description: 'sends no empty texts',
    refusal: /content.{0,60}(?:empty|at least 1 char|min_length)|empty (?:content|text|string|message)/is,
    concerns: ({ messages }) => messages.some(({ content }) => content === ''),
    adapt: withoutEmptyTexts,
  },
  addsOutputLimit('max_completion_tokens'),
  addsOutputLimit('max_tokens'),
  ...['reasoning_content', 'extra_content', 'additionalProperties'].map(dropsMember),
];

interface Refusal {
  model: string;
  /** As the bot wants it. */
  temperature: number;
  /** The message and the body of the response. */
  text: string;
}

export interface Adaptations {
  /** Undefined means that none is sent. */
  temperatureFor(model: string, temperature: number): number | undefined;
  adapt(model: string, body: ChatBody): ChatBody;
  /**
   * Changes later requests so that the server may accept them. Returns a function that undoes this, or null if nothing fits.
   * `body` is the refused one, if known.
   */
  learn(refusal: Refusal, body: ChatBody | null): (() => void) | null;
  describe(model: string): string[];
}

/** What the servers of models refuse, as this process has found out. */
export function createAdaptations(): Adaptations {
  const bodies = new Map<string, Adaptation[]>();
  /** By model and the temperature of the bot: the values that were sent instead. */
  const temperatures = new Map<string, Map<number, (number | undefined)[]>>();

  const learnTemperature = ({ model, temperature, text }: Refusal): (() => void) | null => {
    const ofModel = temperatures.get(model) ?? new Map<number, (number | undefined)[]>();
    const sent = ofModel.get(temperature) ?? [];
    const candidates = [readOnlyTemperature(text), undefined, 1];
    const next = candidates.findIndex(
      (value) => value !== null && value !== temperature && !sent.includes(value),
    );
    if (next === -1) return null;
    temperatures.set(model, ofModel.set(temperature, [...sent, candidates[next] ?? undefined]));
    return () => void ofModel.delete(temperature);
  };

  return {
    temperatureFor(model, temperature) {
      const sent = temperatures.get(model)?.get(temperature) ?? [temperature];
      return sent.at(-1);
    },
    adapt: (model, body) => (bodies.get(model) ?? []).reduce((adapted, { adapt }) => adapt(adapted), body),
    learn(refusal, body) {
      if (/temperature/i.test(refusal.text)) return learnTemperature(refusal);
      const known = bodies.get(refusal.model) ?? [];
      const found = knownAdaptations.find(
        (each) =>
          body !== null && !known.includes(each) && each.refusal.test(refusal.text) && each.concerns(body),
      );
      if (found === undefined) return null;
      bodies.set(refusal.model, [...known, found]);
      return () =>
        void bodies.set(
          refusal.model,
          (bodies.get(refusal.model) ?? []).filter((each) => each !== found),
        );
    },
    describe: (model) => [
      ...[...(temperatures.get(model) ?? [])].map(([temperature, sent]) => {
        const value = sent.at(-1);
        return value === undefined
          ? `leaves out temperature ${temperature}`
          : `sends temperature ${value} instead of ${temperature}`;
      }),
      ...(bodies.get(model) ?? []).map(({ description }) => description),
    ],
  };
}

/** `Only the default (1) value is supported`, `only 1 is allowed`, `Only temperature=1 is supported`, `must be 1`. */
function readOnlyTemperature(text: string): number | null {
  const [, value] =
    /(?:only (?:the )?(?:default )?(?:value )?(?:temperature ?= ?)?|default (?:value )?|must be (?:set to )?|may only be set to )\(?(\d+(?:\.\d+)?)/i.exec(
      text,
    ) ?? [];
  return value === undefined ? null : Number(value);
}
