-- Room: tenancy
-- Effect: quota.warning (80%) or quota.reached in events, once for each time the use crosses the line. `last` is the last unit that the
-- quota allows, which lies above `quota_limit` if there is a margin.
create or replace function record_quota_event(of_team uuid, quota text, used_before bigint, used bigint, quota_limit bigint, last bigint)
returns void language plpgsql as $$
begin
  if last <= 0 or used <= used_before then
    return;
  end if;
  if used >= last and used_before < last then
    perform record_event('quota.reached', of_team, null, null,
                         jsonb_build_object('quota', quota, 'used', used, 'limit', quota_limit));
  elsif used * 5 >= quota_limit * 4 and used_before * 5 < quota_limit * 4 then
    perform record_event('quota.warning', of_team, null, null,
                         jsonb_build_object('quota', quota, 'used', used, 'limit', quota_limit));
  end if;
end
$$;
