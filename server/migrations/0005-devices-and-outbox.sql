-- When a message was first handed to the network: an unknown outcome is retried for a limited time from then on.
alter table messages add column handed_off_at timestamptz(3);

-- The pool's own lease duration: after a restart of the database every pool gets that long to renew its lease.
alter table pools add column lease_seconds integer not null default 15 check (lease_seconds > 0);

-- A device that goes, by whatever statement or cascade, frees its place in its pool. In the order of the ids, so that two
-- deletions cannot wait for each other.
create function free_pool_places() returns trigger language plpgsql as $$
declare
  freed record;
begin
  for freed in select pool_id, count(*)::int as places from gone group by pool_id order by pool_id loop
    update pools set devices = greatest(devices - freed.places, 0) where id = freed.pool_id;
  end loop;
  return null;
end
$$;
create trigger devices_free_pool_places after delete on devices
  referencing old table as gone for each statement execute function free_pool_places();
