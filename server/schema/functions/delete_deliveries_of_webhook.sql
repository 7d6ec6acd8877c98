-- Room: records
-- Effect: the deliveries of a deleted webhook are deleted.
create or replace function delete_deliveries_of_webhook() returns trigger language plpgsql as $$
begin
  delete from webhook_deliveries where webhook_id = old.id;
  return null;
end
$$;

create or replace trigger webhooks_delete_deliveries after delete on webhooks
  for each row execute function delete_deliveries_of_webhook();
