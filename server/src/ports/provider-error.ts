import type { ModelUsage } from './language-model/language-model.ts';

/** The error of every provider call. `kind` decides how the caller reacts. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly kind:
    | 'rate_limited'
    | 'quota_exhausted'
    | 'auth'
    | 'invalid_config'
    | 'not_found'
    | 'transient'
    | 'refused'
    /** The provider would refuse the same request again. */
    | 'rejected';
  /** Seconds, for `rate_limited`. */
  readonly retryAfter: number | null;
  /** Calls of a model that returned before the failure. */
  readonly usage: readonly StepUsage[];
  /** By which factor a rejected request is too long. Null if its length is not the reason. */
  readonly tooLongBy: number | null;
  /** The model accepts no tools. */
  readonly refusesTools: boolean;
  constructor(
    kind: ProviderError['kind'],
    message: string,
    options: {
      retryAfter?: number;
      usage?: readonly StepUsage[];
      tooLongBy?: number;
      refusesTools?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.retryAfter = options.retryAfter ?? null;
    this.usage = options.usage ?? [];
    this.tooLongBy = options.tooLongBy ?? null;
    this.refusesTools = options.refusesTools ?? false;
  }
}

/** Returns whether a failure lasts until the operator acts. */
export const isLasting = ({ kind }: Pick<ProviderError, 'kind'>): boolean =>
  kind === 'auth' || kind === 'quota_exhausted' || kind === 'invalid_config';

export interface StepUsage {
  /** Such as `openai`. */
  provider: string;
  /** The provider's id of the model. */
  model: string;
  /** Null if the provider does not report it. */
  tokens: ModelUsage | null;
}

export interface StepFailure {
  kind: ProviderError['kind'];
  message: string;
}

export interface LastingFailure extends StepFailure {
  /** Null if it concerns all models. */
  model: string | null;
  since: Date;
}
