-- Room: records
-- Effect: rows of audit_log are final. None is removed, and the only change is that a row gets its place in the chain.
create or replace function keep_audit_row() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if old.position is null and old.hash is null
      and to_jsonb(old) - '{position,hash}'::text[] = to_jsonb(new) - '{position,hash}'::text[] then
      return new;
    end if;
  end if;
  raise insufficient_privilege using message = 'rows of the audit log cannot be changed, removed or placed';
end
$$;

create or replace trigger audit_log_keep_all before truncate on audit_log
  for each statement execute function keep_audit_row();
create or replace trigger audit_log_keep_end before insert on audit_log
  for each row when (new."position" is not null or new.hash is not null) execute function keep_audit_row();
create or replace trigger audit_log_keep_rows before delete or update on audit_log
  for each row execute function keep_audit_row();
