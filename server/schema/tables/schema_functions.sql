-- platform: Which files of server/schema/functions this database has. The migrator writes it after the migrations.
create table schema_functions (
  file text not null,
  checksum text not null,
  version text not null,
  applied_at timestamp with time zone not null default now(),
  constraint schema_functions_pkey PRIMARY KEY (file)
);
