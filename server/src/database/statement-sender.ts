import type pg from 'pg';
import { StatementTimedOut } from './connection-errors.ts';
import { Descriptions, PreparedQuery } from './prepared-query.ts';

/** Into how many looks the time for an answer is divided: a timer for each statement would cost more than sending it. */
const looks = 10;

interface UnderWay {
  /** The look before it was sent. */
  since: number;
  giveUp(): void;
}

/** Sends the statements of a pool's connections, and waits no longer than `answerWithinMs` for an answer. */
export class StatementSender {
  readonly #descriptions = new Descriptions();
  readonly #underWay = new Set<UnderWay>();
  readonly #looking: NodeJS.Timeout;
  #look = 0;

  constructor(answerWithinMs: number) {
    this.#looking = setInterval(() => this.#giveUpTheUnanswered(), answerWithinMs / looks).unref();
  }

  /**
   * `done` is called before anybody who waits for the rows goes on, with why the statement failed, if it did. After
   * `StatementUnanswered` the connection must be closed: it goes on waiting for the answer.
   */
  send(
    client: Pick<pg.PoolClient, 'query'>,
    statement: pg.QueryConfig,
    done?: (error: Error | undefined) => void,
  ): Promise<pg.QueryResult> {
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>();
    const answered = (error: Error | null | undefined, result?: pg.QueryResult) => {
      if (!this.#underWay.delete(underWay)) return; // it was given up before
      done?.(error ?? undefined);
      if (result === undefined) reject(error);
      else resolve(result);
    };
    const underWay: UnderWay = { since: this.#look, giveUp: () => answered(new StatementTimedOut()) };
    this.#underWay.add(underWay);
    client.query(new PreparedQuery(this.#descriptions, statement, answered));
    return promise;
  }

  close(): void {
    clearInterval(this.#looking);
  }

  #giveUpTheUnanswered(): void {
    this.#look += 1;
    for (const { since, giveUp } of this.#underWay) if (this.#look - since > looks) giveUp();
  }
}
