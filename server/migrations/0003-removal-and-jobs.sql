-- 'tagged': whatever bears an object's tag at the provider, where a lost reply left its ref unknown (ref: the object's id).
alter table tombstones drop constraint tombstones_kind_check;
alter table tombstones add constraint tombstones_kind_check
  check (kind in ('assistant', 'knowledge', 'document', 'tagged', 'file', 'session', 'team_rows'));

-- When the provider was last asked whether it has read the document.
alter table documents add column provider_asked_at timestamptz(3);
create index documents_processing on documents (provider_asked_at nulls first)
  where state = 'live' and provider_status = 'processing';
create index documents_file_key on documents (file_key);

-- The heartbeats of the processes that run jobs: what a silent one had locked is given to the others.
create table job_runners (
  id text primary key,
  seen_at timestamptz not null default now()
);

-- What a deleted team leaves behind is purged by these, in batches.
create index answers_purge on answers (team_id);
create index tombstones_ref on tombstones (ref);
