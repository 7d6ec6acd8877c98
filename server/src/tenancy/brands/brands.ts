import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import {
  badRequest,
  type InputIssue,
  invalidInput,
  notFound,
  unknownTeam,
} from '../../platform/http/errors.ts';
import { timestamp, timestampOrNull } from '../../platform/http/fields.ts';
import { lockTeamShared, teamExists } from '../teams/teams.sql.ts';
import { accentsOf } from './accents.ts';
import {
  type BrandRow,
  deleteHostRow,
  type HostRow,
  type StoredBrandRow,
  selectBrand,
  selectHost,
  upsertBrand,
  upsertHost,
} from './brands.queries.ts';
import { type Brand, type Host, maxLogoBytes, type PutBrand } from './brands.schemas.ts';
import { readLogo } from './logo.ts';

/** Throws NotFound for a team that the actor does not see. */
export async function getBrand(db: Database, { scope }: Actor, teamId: string): Promise<Brand> {
  const isSeen = scope.kind === 'all' ? await teamExists(db, teamId) : scope.teamId === teamId;
  if (!isSeen) throw notFound('team');
  return readBrand(db, teamId);
}

/** For pages and mails that do without an actor. */
export async function readBrand(db: Database, teamId: string): Promise<Brand> {
  return presentBrand(await selectBrand(db, teamId));
}

/** Replaces the whole brand. Throws NotFound for a team that the actor does not see. */
export async function putBrand(
  tx: Transaction,
  { scope }: Actor,
  teamId: string,
  { name = null, color = null, sender_name = null, logo: uri = null }: PutBrand,
): Promise<Brand> {
  if (!(await lockTeamShared(tx, scope, teamId))) throw notFound('team');
  const logo = uri === null ? null : readLogo(uri, maxLogoBytes);
  if (typeof logo === 'string') throw invalidInput([{ path: 'logo', message: logo }]);
  const row: BrandRow = {
    name,
    color: color?.toLowerCase() ?? null,
    sender_name,
    logo: logo?.bytes ?? null,
    logo_type: logo?.type ?? null,
  };
  return presentBrand(await upsertBrand(tx, teamId, row));
}

const presentBrand = (row: StoredBrandRow | undefined): Brand => ({
  name: row?.name ?? null,
  color: row?.color ?? null,
  logo: row?.logo ? `data:${row.logo_type};base64,${row.logo.toString('base64')}` : null,
  sender_name: row?.sender_name ?? null,
  accents: row?.color ? accentsOf(row.color) : null,
  updated_at: timestampOrNull(row?.updated_at ?? null),
});

/** In the whole deployment. Each process keeps the names in memory. */
const maxHosts = 10_000;

/** Returns the name as browsers send it, or null. Addresses have no name, and no second owner could own one. */
function normalizeHost(name: string): string | null {
  const [, host = ''] = /^([\p{L}\p{M}\p{N}.-]*?)\.?(?::\d{1,5})?$/u.exec(name) ?? [];
  const ascii = domainToASCII(host);
  const isName =
    /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/.test(ascii);
  // A last label of digits makes browsers read an IPv4 address.
  return isName && isIP(ascii) === 0 && !/(^|\.)(\d+|0x[0-9a-f]*)$/.test(ascii) && ascii !== 'localhost'
    ? ascii
    : null;
}

export const hostNameIssues = (name: string): InputIssue[] =>
  normalizeHost(name) === null
    ? [{ path: 'name', message: 'must be a host name like chat.example.com, and not an address' }]
    : [];

/** Moves the name if another team has it. Throws `too_many_hosts`. */
export async function putHost(tx: Transaction, actor: Actor, name: string, teamId: string): Promise<Host> {
  if (!(await lockTeamShared(tx, actor.scope, teamId))) throw invalidInput([unknownTeam]);
  const host = await upsertHost(tx, requireName(name), teamId, maxHosts);
  if (host === undefined) throw badRequest('too_many_hosts', `The deployment has ${maxHosts} host names`);
  return presentHost(host);
}

export async function getHost(db: Database, name: string): Promise<Host> {
  const host = await selectHost(db, requireName(name));
  if (host === undefined) throw notFound('host');
  return presentHost(host);
}

export async function deleteHost(tx: Transaction, name: string): Promise<void> {
  if (!(await deleteHostRow(tx, requireName(name)))) throw notFound('host');
}

function requireName(name: string): string {
  const normalized = normalizeHost(name);
  if (normalized === null) throw notFound('host');
  return normalized;
}

const presentHost = ({ name, team_id, created_at }: HostRow): Host => ({
  name,
  team_id,
  created_at: timestamp(created_at),
});
