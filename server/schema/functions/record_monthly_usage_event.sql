-- Room: tenancy
-- Effect: quota.warning (80%) and quota.reached in events, for active messages and credits.
-- Watches: active_messages, credits
create or replace function record_monthly_usage_event() returns trigger language plpgsql as $$
declare
  before_messages int := case when tg_op = 'UPDATE' then old.active_messages else 0 end;
  before_credits int := case when tg_op = 'UPDATE' then old.credits else 0 end;
  plan record;
begin
  select p.active_messages_monthly as messages, coalesce(t.quota_credits, p.credits) as credits into plan
  from teams t join plans p on p.name = t.plan_name where t.id = new.team_id;
  if new.active_messages > before_messages then
    perform record_quota_event(new.team_id, 'active_messages', before_messages, new.active_messages, plan.messages,
                               plan.messages::bigint * 105 / 100);
  end if;
  if new.credits > before_credits then
    perform record_quota_event(new.team_id, 'credits', before_credits, new.credits, plan.credits, plan.credits);
  end if;
  return null;
end
$$;

create or replace trigger monthly_usage_record_first after insert on monthly_usage
  for each row execute function record_monthly_usage_event();
create or replace trigger monthly_usage_record_rise after update of active_messages, credits on monthly_usage
  for each row when (new.active_messages > old.active_messages or new.credits > old.credits) execute function record_monthly_usage_event();
