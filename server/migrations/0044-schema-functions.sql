-- The files of server/schema/functions that this database has. These two are as earlier migrations made them, and may belong to another
-- role (docs/hardening.md), so that Parley's cannot replace them.
create table schema_functions (
  file text primary key,
  checksum text not null,
  version text not null,
  applied_at timestamptz not null default now()
);
insert into schema_functions (file, checksum, version) values
  ('chain_audit_rows.sql', '8082ca739998d5e7632be2bbaa63a03f7752a06b51b5a618e77969c33576b4a9', '0.3.0'),
  ('keep_audit_row.sql', '8660d3fa3109ddb5fd3f9d87adcd386014f07a62a3c4198abf477fdce76a513c', '0.3.0');
