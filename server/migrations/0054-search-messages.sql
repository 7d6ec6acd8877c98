-- Without a transaction.
drop index concurrently if exists messages_words;
create index concurrently messages_words on messages using gin ((array_to_tsvector(array[team_id::text]) || to_tsvector('simple'::regconfig, translate(left(text, 4096), '-@/._:#+', '        ')))) with (gin_pending_list_limit = 1024);
-- The extension may be in any schema.
select set_config('search_path', concat_ws(', ', current_setting('search_path'), quote_ident(nspname)), false)
from pg_extension e join pg_namespace n on n.oid = e.extnamespace where extname = 'pg_trgm';
drop index concurrently if exists conversations_number_parts;
create index concurrently conversations_number_parts on conversations using gin (contact_number gin_trgm_ops) with (gin_pending_list_limit = 256);
reset search_path;
