/** The message is always the same, so that callers cannot map a network with it. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  /** The connection failed before a response, so another attempt may succeed. */
  readonly connectionFailed: boolean;
  constructor(options: { cause: unknown; connectionFailed?: boolean }) {
    super('the address could not be reached or is not allowed', { cause: options.cause });
    this.connectionFailed = options.connectionFailed ?? false;
  }
}

export const outboundFailure = (why: string) => new OutboundError({ cause: new Error(why) });
