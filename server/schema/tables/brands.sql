-- tenancy: How the console and mails present themselves to a team. PUT /teams/{id}/brand writes them.
create table brands (
  team_id uuid not null,
  name text,
  color text,
  sender_name text,
  logo bytea,
  logo_type text,
  updated_at timestamp(3) with time zone not null default now(),
  constraint brands_pkey PRIMARY KEY (team_id),
  constraint brands_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE,
  constraint brands_check CHECK ((logo IS NULL) = (logo_type IS NULL)),
  constraint brands_color_check CHECK (color ~ '^#[0-9a-f]{6}$'::text),
  constraint brands_logo_type_check CHECK (logo_type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/webp'::text]))
);

-- trigger brands_audit: after insert, delete, update, ../functions/audit_change.sql
