-- Room: devices
-- Effect: pools.devices falls by the deleted devices.
create or replace function free_pool_places() returns trigger language plpgsql as $$
declare
  freed record;
begin
  for freed in select pool_id, count(*)::int as places from gone group by pool_id order by pool_id loop
    update pools set devices = greatest(devices - freed.places, 0) where id = freed.pool_id;
  end loop;
  return null;
end
$$;

create or replace trigger devices_free_pool_places after delete on devices
  referencing old table as gone
  for each statement execute function free_pool_places();
