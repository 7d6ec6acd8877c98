-- Room: platform
-- The shard of a counter that this connection changes: connections that change counters at once seldom share a row.
create or replace function own_shard() returns integer language sql stable as $$
select pg_backend_pid() % 256
$$;
