import type { FastifyBaseLogger } from 'fastify';

/**
 * A request's own logger, whose lines carry the request's id. It is made when something is to be said: nearly no request
 * has anything beside its one line, and making a logger takes longer than writing that.
 */
export class RequestLogger implements FastifyBaseLogger {
  readonly #make: () => FastifyBaseLogger;
  #made: FastifyBaseLogger | undefined;

  constructor(make: () => FastifyBaseLogger) {
    this.#make = make;
  }

  get level() {
    return this.#own().level;
  }

  set level(level) {
    this.#own().level = level;
  }

  child(...given: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#own().child(...given);
  }

  fatal(...line: unknown[]): void {
    this.#own().fatal(...asGiven(line));
  }

  error(...line: unknown[]): void {
    this.#own().error(...asGiven(line));
  }

  warn(...line: unknown[]): void {
    this.#own().warn(...asGiven(line));
  }

  info(...line: unknown[]): void {
    this.#own().info(...asGiven(line));
  }

  debug(...line: unknown[]): void {
    this.#own().debug(...asGiven(line));
  }

  trace(...line: unknown[]): void {
    this.#own().trace(...asGiven(line));
  }

  silent(...line: unknown[]): void {
    this.#own().silent(...asGiven(line));
  }

  #own(): FastifyBaseLogger {
    this.#made ??= this.#make();
    return this.#made;
  }
}

/** Whatever one of the logger's signatures allowed. */
const asGiven = (line: unknown[]) => line as [object, string];
