-- platform: Which migrations this database has. The migrator writes it.
create table schema_migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  incompatible boolean not null default false,
  constraint schema_migrations_pkey PRIMARY KEY (version)
);
