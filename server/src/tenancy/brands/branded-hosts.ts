import type { Database } from '../../platform/database/database.ts';
import type { Notifications } from '../../platform/database/notifications.ts';
import { createFreshReads } from '../../platform/shared/fresh-reads.ts';
import { type Hosts, readHostName } from '../../platform/shared/hosts.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { type BrandRow, selectBrand, selectHosts } from './brands.queries.ts';

/** A brand with its team. */
export type TeamBrand = BrandRow & { teamId: string };

export interface BrandedHosts {
  /** The given hosts and those that belong to a team. Asks no database. */
  hosts: Hosts;
  /** Reads the names again. */
  load(): Promise<void>;
  /** Returns the brand of the host, or null if no team has the host. */
  brandOf(host: string | undefined): Promise<TeamBrand | null> | TeamBrand | null;
  close(): void;
}

/** Notifications usually tell of changes at once. */
const reloadMs = 60_000;
/** Of brands in memory, each with a logo of up to 256 KiB. */
const capacity = 100;

export function createBrandedHosts({
  db,
  notifications,
  hosts,
  logger,
}: {
  db: Database;
  notifications: Pick<Notifications, 'subscribe' | 'onGap'>;
  hosts: Hosts;
  logger: Pick<Logger, 'warn'>;
}): BrandedHosts {
  let teams: ReadonlyMap<string, string> = new Map();
  let begun = 0;
  let applied = 0;
  const brands = createFreshReads(
    async (teamId: string) => {
      const row = await selectBrand(db, teamId);
      return row === undefined ? null : { ...row, teamId };
    },
    { maxAgeMs: reloadMs, capacity },
  );
  const load = async () => {
    begun += 1;
    const mine = begun;
    const rows = await selectHosts(db);
    // An earlier read must not undo a later one.
    if (mine < applied) return;
    applied = mine;
    teams = new Map(rows.map(({ name, team_id }) => [name, team_id]));
  };
  const refresh = () => {
    brands.clear();
    load().catch((error: unknown) => logger.warn({ err: error }, 'the host names could not be read'));
  };
  const timer = setInterval(refresh, reloadMs).unref();
  const stopListening = [notifications.subscribe('brand-changed', refresh), notifications.onGap(refresh)];
  const teamOf = (host: string) => teams.get(readHostName(host) ?? '');
  return {
    hosts: {
      allows: (host) => hosts.allows(host) || teamOf(host) !== undefined,
      // Pages of the host of one team are foreign to the others.
      areForeign: hosts.areForeign,
    },
    load,
    brandOf(host) {
      const team = teamOf(host ?? '');
      return team === undefined ? null : brands.get(team);
    },
    close() {
      clearInterval(timer);
      for (const stop of stopListening) stop();
    },
  };
}
