/** Why a call failed. Callers see it for images, and for actions as `explainFailure` words it. */
export type OutboundCause =
  | 'host_unknown'
  | 'not_public'
  | 'unreachable'
  | 'timeout'
  | 'bad_status'
  | 'too_large'
  | 'not_an_image'
  | 'other_type';

/** The message is always the same, so that callers cannot map a network with it. `explainFailure` says more. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly kind: OutboundCause;
  /** The same address may work later. */
  readonly isTemporary: boolean;
  /** The connection failed before a response, so another attempt may succeed. */
  readonly connectionFailed: boolean;
  /** The response was not complete within the limit. */
  readonly timedOut: boolean;
  /** A connection existed, so the request may have taken effect. */
  readonly mayHaveBeenSent: boolean;
  constructor(options: {
    cause: unknown;
    kind?: OutboundCause;
    connectionFailed?: boolean;
    timedOut?: boolean;
    mayHaveBeenSent?: boolean;
    isTemporary?: boolean;
  }) {
    super('the address could not be reached or is not allowed', { cause: options.cause });
    this.connectionFailed = options.connectionFailed ?? false;
    this.timedOut = options.timedOut ?? false;
    this.mayHaveBeenSent = options.mayHaveBeenSent ?? false;
    this.kind = options.kind ?? (this.timedOut ? 'timeout' : 'unreachable');
    this.isTemporary = options.isTemporary ?? temporaryKinds.includes(this.kind);
  }
}

/** Includes names that do not exist, because a name with a private address must look like them. */
const temporaryKinds: readonly OutboundCause[] = ['host_unknown', 'unreachable', 'timeout'];

export const outboundFailure = (
  kind: OutboundCause,
  why: string,
  options: { isTemporary?: boolean } = {},
): OutboundError => new OutboundError({ cause: new Error(why), kind, ...options });
