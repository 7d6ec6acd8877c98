-- Rows of the audit log are final: nobody removes one, and the only change is that it gets its place in the chain. Before, anyone
-- who could write to the table could take rows out of the chain, change them, and let the job chain them again.
create function keep_audit_row() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if old.position is null and old.hash is null and to_jsonb(old) - '{position,hash}'::text[] = to_jsonb(new) - '{position,hash}'::text[] then
      return new;
    end if;
  end if;
  raise insufficient_privilege using message = 'rows of the audit log cannot be changed, removed or placed';
end
$$;
create trigger audit_log_keep_rows before update or delete on audit_log for each row execute function keep_audit_row();
create trigger audit_log_keep_all before truncate on audit_log for each statement execute function keep_audit_row();
create trigger audit_log_keep_end before insert on audit_log for each row when (new.position is not null or new.hash is not null)
  execute function keep_audit_row();

-- Appends rows to the chain. It has the rights of its owner, so that the role of Parley needs none to change rows.
create function chain_audit_rows(ids uuid[], positions bigint[], hashes bytea[]) returns void language plpgsql
security definer set search_path = pg_catalog, pg_temp as $$
declare
  chain_end bigint := coalesce((select max(position) from public.audit_log), 0);
  chained bigint;
begin
  if positions <> array(select chain_end + n from generate_series(1, cardinality(ids)) n) or cardinality(hashes) <> cardinality(ids) then
    raise invalid_parameter_value using message = 'the places do not follow the end of the audit chain';
  end if;
  update public.audit_log a set position = link.position, hash = link.hash
  from unnest(ids, positions, hashes) as link (id, position, hash)
  where a.id = link.id and a.position is null and length(link.hash) = 32;
  get diagnostics chained = row_count;
  if chained <> cardinality(ids) then
    raise invalid_parameter_value using message = 'rows of the audit log are missing, or in the chain already';
  end if;
end
$$;

-- Secrets in URLs: the name and password before the host, the query and the fragment.
create function mask_urls(of_values jsonb) returns jsonb language sql immutable as $$
  select case when of_values::text !~* 'https?://' then of_values
    else regexp_replace(regexp_replace(regexp_replace(of_values::text,
      '(https?://)[^\s"\\/?#]*@', '\1***@', 'gi'),
      '(https?://[^\s"\\?#]*)\?[^\s"\\#]+', '\1?***', 'gi'),
      '(https?://[^\s"\\#]*)#[^\s"\\]+', '\1#***', 'gi')::jsonb end
$$;

create or replace function write_audit_row(of_object text, of_id text, of_team uuid, old_values jsonb, new_values jsonb)
returns void language sql as $$
  insert into audit_log (key_id, request_id, address, operation, object_type, object_id, team_id, before, after)
  select c ->> 'key_id', c ->> 'request_id', c ->> 'address', c ->> 'operation', of_object, of_id, of_team, mask_urls(old_values),
         case when of_object in ('message', 'contact') then coalesce(mask_urls(new_values), '{}') || coalesce(c -> 'hashed', '{}')
              else mask_urls(new_values) end
  from (select current_setting('parley.audit')::jsonb as c) context
$$;
