-- tenancy: Addresses that can be used once: to set up the deployment, to accept an invitation, to sign in. A newer one replaces an older one.
create table sign_in_links (
  token_hash bytea not null,
  kind text not null,
  user_id uuid,
  expires_at timestamp(3) with time zone not null,
  constraint sign_in_links_pkey PRIMARY KEY (token_hash),
  constraint sign_in_links_kind_user_id_key UNIQUE NULLS NOT DISTINCT (kind, user_id),
  constraint sign_in_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint sign_in_links_kind_check CHECK (kind = ANY (ARRAY['setup'::text, 'invitation'::text, 'sign_in'::text]))
);

create index sign_in_links_user ON public.sign_in_links (user_id);

-- trigger sign_in_links_audit: after insert, ../functions/audit_change.sql
