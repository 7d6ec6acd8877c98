import pg from 'pg';
import { sessionOptions } from '../database/database.ts';

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (reason?: Error | boolean) => void,
) => void;

const maxConnections = 4;

/** The library may release a broken connection twice while it stops, and pg throws for that. */
export class JobConnections extends pg.Pool {
  constructor(databaseUrl: string, onConnect?: (client: pg.ClientBase) => Promise<void>) {
    super({
      connectionString: databaseUrl,
      max: maxConnections,
      application_name: 'parley jobs',
      options: sessionOptions,
      connectionTimeoutMillis: 10_000,
      ...(onConnect === undefined ? {} : { onConnect }),
    });
  }

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
