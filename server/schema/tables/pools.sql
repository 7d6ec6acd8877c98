-- pool, devices: The running processes that host devices, each with a lease that it renews.
create table pools (
  id uuid not null,
  url text not null,
  capacity integer not null,
  devices integer not null default 0,
  draining boolean not null default false,
  lease_until timestamp with time zone not null,
  started_at timestamp(3) with time zone not null default now(),
  lease_seconds integer not null default 15,
  ended boolean not null default false,
  constraint pools_pkey PRIMARY KEY (id),
  constraint pools_capacity_check CHECK (capacity >= 0),
  constraint pools_devices_check CHECK (devices >= 0),
  constraint pools_lease_seconds_check CHECK (lease_seconds > 0)
);
