import pg from 'pg';

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (reason?: Error | boolean) => void,
) => void;

/**
 * The connections of the job library. The one on which it listens it gives back twice when that breaks while the library
 * stops, and nobody would catch what a pool throws at that.
 */
export class JobConnections extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (callback === undefined) return super.connect();
    super.connect((error, client, done) => callback(error, client, atMostOnce(done)));
    return undefined;
  }
}

function atMostOnce(release: (reason?: Error | boolean) => void): typeof release {
  let released = false;
  return (reason) => {
    if (released) return;
    released = true;
    release(reason);
  };
}
