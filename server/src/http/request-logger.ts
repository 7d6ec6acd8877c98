import type { FastifyBaseLogger } from 'fastify';

/** Creates the request's child logger on first use. Few requests need one, and creating it costs more than logging a line. */
export class RequestLogger implements FastifyBaseLogger {
  readonly #create: () => FastifyBaseLogger;
  #logger: FastifyBaseLogger | undefined;

  constructor(create: () => FastifyBaseLogger) {
    this.#create = create;
  }

  get level() {
    return this.#get().level;
  }

  set level(level) {
    this.#get().level = level;
  }

  child(...given: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#get().child(...given);
  }

  fatal(...line: unknown[]): void {
    this.#get().fatal(...toArguments(line));
  }

  error(...line: unknown[]): void {
    this.#get().error(...toArguments(line));
  }

  warn(...line: unknown[]): void {
    this.#get().warn(...toArguments(line));
  }

  info(...line: unknown[]): void {
    this.#get().info(...toArguments(line));
  }

  debug(...line: unknown[]): void {
    this.#get().debug(...toArguments(line));
  }

  trace(...line: unknown[]): void {
    this.#get().trace(...toArguments(line));
  }

  silent(...line: unknown[]): void {
    this.#get().silent(...toArguments(line));
  }

  #get(): FastifyBaseLogger {
    this.#logger ??= this.#create();
    return this.#logger;
  }
}

/** The caller has checked the arguments against one of the overloads. */
const toArguments = (line: unknown[]) => line as [object, string];
