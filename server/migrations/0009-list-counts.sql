-- Lists answer with their total. What is counted here is kept by triggers, so that it holds for every row that comes or
-- goes, by whatever statement or cascade; a count(*) over a million rows would cost more than the rest of the answer.

-- How many teams there are and how many of them pay: the sum over all shards. A connection writes its own shard, so that
-- creations do not wait for each other. Pages stay nearly empty, so that updates find room beside the row they replace,
-- and are so many that a shard is looked up in the index: read as a whole, the table shows each connection the rows that
-- all others have replaced.
create table team_counts (
  shard integer primary key,
  teams bigint not null default 0,
  paying bigint not null default 0
) with (fillfactor = 10);
insert into team_counts (shard) select generate_series(0, 255);

create function own_shard() returns integer language sql stable as 'select pg_backend_pid() % 256';

create function count_teams() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update team_counts
    set teams = teams + (select count(*) from added), paying = paying + (select count(*) from added where added.paying)
    where shard = own_shard();
  elsif tg_op = 'DELETE' then
    update team_counts
    set teams = teams - (select count(*) from gone), paying = paying - (select count(*) from gone where gone.paying)
    where shard = own_shard() and exists (select from gone);
  else
    update team_counts c set paying = c.paying + change.paying
    from (select (select count(*) from added where paying) - (select count(*) from gone where paying) as paying) change
    where c.shard = own_shard() and change.paying <> 0;
  end if;
  return null;
end
$$;
create trigger teams_count_added after insert on teams
  referencing new table as added for each statement execute function count_teams();
create trigger teams_count_gone after delete on teams
  referencing old table as gone for each statement execute function count_teams();
create trigger teams_count_changed after update on teams
  referencing old table as gone new table as added for each statement execute function count_teams();

-- Live documents of a team by type, and of all teams in shards. No foreign key, which would make an upload wait for the
-- deletion of its team and the deletion for the upload: a row goes with the last of its documents.
create table document_counts (
  team_id uuid not null,
  type text not null,
  documents bigint not null,
  primary key (team_id, type)
) with (fillfactor = 70);
create table document_totals (
  shard integer not null,
  type text not null,
  documents bigint not null,
  primary key (shard, type)
) with (fillfactor = 10);

-- In the order of teams and types, so that two statements cannot wait for each other.
create function count_documents() returns trigger language plpgsql as $$
declare
  changes document_counts[];
begin
  if tg_op <> 'DELETE' then
    changes := array(select (team_id, type, count(*))::document_counts from added where state = 'live'
                     group by team_id, type);
  end if;
  if tg_op <> 'INSERT' then
    changes := changes || array(select (team_id, type, -count(*))::document_counts from gone where state = 'live'
                                group by team_id, type);
  end if;
  insert into document_counts as c
  select team_id, type, sum(documents) from unnest(changes)
  group by team_id, type having sum(documents) <> 0 order by team_id, type
  on conflict (team_id, type) do update set documents = c.documents + excluded.documents;
  delete from document_counts c using unnest(changes) change
  where c.team_id = change.team_id and c.type = change.type and c.documents = 0;
  insert into document_totals as c
  select own_shard(), type, sum(documents) from unnest(changes)
  group by type having sum(documents) <> 0 order by type
  on conflict (shard, type) do update set documents = c.documents + excluded.documents;
  return null;
end
$$;
create trigger documents_count_added after insert on documents
  referencing new table as added for each statement execute function count_documents();
create trigger documents_count_gone after delete on documents
  referencing old table as gone for each statement execute function count_documents();
create trigger documents_count_changed after update on documents
  referencing old table as gone new table as added for each statement execute function count_documents();

-- The triggers hold the tables from here to the commit: nothing comes between them and these.
update team_counts c set teams = existing.teams, paying = existing.paying
from (select count(*) as teams, count(*) filter (where paying) as paying from teams) existing where c.shard = 0;
insert into document_counts select team_id, type, count(*) from documents where state = 'live' group by team_id, type;
insert into document_totals select 0, type, count(*) from documents where state = 'live' group by type;

create index teams_paying_newest on teams (paying, created_at desc, id desc);
create index documents_type_newest on documents (type, created_at desc, id desc) where state = 'live';
create index documents_team_type_newest on documents (team_id, type, created_at desc, id desc) where state = 'live';

-- Parts of names are looked up by their trigrams. An administrator may have put the extension into any schema. What is
-- inserted waits in a list that is short, since every search reads it through.
do $$
declare
  place text;
begin
  begin
    create extension if not exists pg_trgm;
  exception when others then
    raise exception using
      errcode = 'feature_not_supported',
      message = format(
        'Parley needs the PostgreSQL extension pg_trgm, which cannot be created in the database %I (%s). It is part of '
        'PostgreSQL''s contrib modules: install them on the server (Debian: postgresql-contrib), then let a superuser, '
        'or the owner of the database, run CREATE EXTENSION pg_trgm in it.', current_database(), sqlerrm);
  end;
  select nspname into place from pg_extension e join pg_namespace n on n.oid = e.extnamespace where extname = 'pg_trgm';
  execute format('create index teams_name_parts on teams using gin (name %I.gin_trgm_ops)
                  with (gin_pending_list_limit = 256)', place);
  execute format('create index documents_name_parts on documents using gin (name %I.gin_trgm_ops)
                  with (gin_pending_list_limit = 256) where state = ''live''', place);
end
$$;
