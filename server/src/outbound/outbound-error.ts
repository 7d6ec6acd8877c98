/** The message is always the same, so that callers cannot map a network with it. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  /** The connection failed before a response, so another attempt may succeed. */
  readonly connectionFailed: boolean;
  /** The response was not complete within the limit. */
  readonly timedOut: boolean;
  constructor(options: { cause: unknown; connectionFailed?: boolean; timedOut?: boolean }) {
    super('the address could not be reached or is not allowed', { cause: options.cause });
    this.connectionFailed = options.connectionFailed ?? false;
    this.timedOut = options.timedOut ?? false;
  }
}

export const outboundFailure = (why: string) => new OutboundError({ cause: new Error(why) });
