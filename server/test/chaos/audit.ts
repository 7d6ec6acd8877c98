import type pg from 'pg';

/**
 * Triggers that record the owner of each device over time and every write about a device by another process than its
 * owner. Each server process connects with its own role. The role that inserts a row of `pools` owns that pool.
 */
const audit = `
  create schema audit;

  create table audit.incarnations (pool_id uuid primary key, process text not null);
  create function audit.note_incarnation() returns trigger language plpgsql as $$
    begin
      insert into audit.incarnations values (new.id, session_user) on conflict do nothing;
      return null;
    end $$;
  create trigger audited after insert on public.pools for each row execute function audit.note_incarnation();

  create table audit.ownerships (device_id uuid, epoch bigint, pool_id uuid);
  create function audit.note_ownership() returns trigger language plpgsql as $$
    begin
      insert into audit.ownerships values (new.id, new.epoch, new.pool_id);
      return null;
    end $$;
  create trigger audited_ownership after insert or update of epoch, pool_id on public.devices
    for each row execute function audit.note_ownership();

  create table audit.violations (at timestamptz default clock_timestamp(), process text, what text, id text);

  create function audit.owner_of(device uuid) returns text language sql stable as $$
    select i.process from public.devices d join audit.incarnations i on i.pool_id = d.pool_id where d.id = device $$;

  -- A takeover writes as the new owner, a handover as the old one.
  create function audit.check_device() returns trigger language plpgsql as $$
    begin
      if session_user like 'pool\\_%' and not exists (
        select from audit.incarnations where process = session_user and pool_id in (old.pool_id, new.pool_id)) then
        insert into audit.violations (process, what, id) values (session_user, 'device state', new.id);
      end if;
      return null;
    end $$;
  create trigger audited_state after update on public.devices for each row execute function audit.check_device();

  create function audit.check_session() returns trigger language plpgsql as $$
    begin
      if session_user like 'pool\\_%' and session_user <> audit.owner_of(new.device_id) then
        insert into audit.violations (process, what, id) values (session_user, 'session state', new.device_id);
      end if;
      return null;
    end $$;
  create trigger audited after insert or update on public.device_sessions
    for each row execute function audit.check_session();

  create function audit.check_claim() returns trigger language plpgsql as $$
    begin
      if session_user like 'pool\\_%' and session_user <> audit.owner_of(new.device_id) then
        insert into audit.violations (process, what, id) values (session_user, 'claim of a message', new.id);
      end if;
      return null;
    end $$;
  create trigger audited_claim after update on public.messages for each row
    when (new.attempts > old.attempts) execute function audit.check_claim();
`;

export async function installAudit(client: pg.Client): Promise<void> {
  await client.query(audit);
}

/** Creates the roles of the server processes. Call once per PostgreSQL. */
export async function createRoles(client: pg.Client, names: readonly string[]): Promise<void> {
  for (const name of names) await client.query(`create role ${name} superuser login`);
}
