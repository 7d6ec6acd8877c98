-- Room: knowledge
-- Effect: document_counts (exact, by team and type) and document_totals (of all teams, in 256 shards) follow the live documents.
-- Watches: state
create or replace function count_documents() returns trigger language plpgsql as $$
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

create or replace trigger documents_count_added after insert on documents
  referencing new table as added
  for each statement execute function count_documents();
create or replace trigger documents_count_changed after update on documents
  referencing old table as gone new table as added
  for each statement execute function count_documents();
create or replace trigger documents_count_gone after delete on documents
  referencing old table as gone
  for each statement execute function count_documents();
