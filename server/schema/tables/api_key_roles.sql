-- tenancy: The roles of API keys that do not have all rights within their scope. Rows are written with the key.
create table api_key_roles (
  key_id text not null,
  role text not null,
  constraint api_key_roles_pkey PRIMARY KEY (key_id),
  constraint api_key_roles_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(key_id) ON DELETE CASCADE,
  constraint api_key_roles_role_check CHECK (role = ANY (ARRAY['owner'::text, 'admin'::text, 'support'::text, 'editor'::text, 'agent'::text, 'viewer'::text]))
);

-- trigger api_key_roles_audit: after insert, ../functions/audit_change.sql
