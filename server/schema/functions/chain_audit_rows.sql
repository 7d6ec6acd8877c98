-- Room: records
-- Appends rows to the chain. It has the rights of its owner, so that the role of Parley needs none to change rows.
create or replace function chain_audit_rows(ids uuid[], positions bigint[], hashes bytea[]) returns void language plpgsql
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
