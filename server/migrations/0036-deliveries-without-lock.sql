-- Adding the deliveries of new events must not wait while a webhook is being deleted, and the foreign key would lock the webhook
-- for each of them. A delivery that is added during the deletion stays until its event is deleted. Nobody sends it.
alter table webhook_deliveries drop constraint webhook_deliveries_webhook_id_fkey;
create function delete_deliveries_of_webhook() returns trigger language plpgsql as $$
begin
  delete from webhook_deliveries where webhook_id = old.id;
  return null;
end
$$;
create trigger webhooks_delete_deliveries after delete on webhooks
  for each row execute function delete_deliveries_of_webhook();
