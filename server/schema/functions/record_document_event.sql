-- Room: knowledge
-- Effect: document.ready or document.failed in events.
-- Watches: state, provider_status
create or replace function record_document_event() returns trigger language plpgsql as $$
begin
  perform record_event('document.' || new.provider_status, new.team_id, null, null,
    jsonb_build_object('document_id', new.id, 'name', new.name, 'type', new.type));
  return null;
end
$$;

create or replace trigger documents_record_changed after update of state, provider_status on documents
  for each row when (new.state = 'live' and new.provider_status <> 'processing'
    and (old.state <> 'live' or old.provider_status <> new.provider_status)) execute function record_document_event();
create or replace trigger documents_record_inserted after insert on documents
  for each row when (new.state = 'live' and new.provider_status <> 'processing') execute function record_document_event();
