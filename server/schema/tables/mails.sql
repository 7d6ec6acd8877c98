-- tenancy: Invitations, codes and links that wait for the worker. A row ends when its mail was sent.
create table mails (
  id uuid not null,
  kind text not null,
  email text not null,
  user_id uuid,
  language text,
  secret_sealed bytea not null,
  expires_at timestamp(3) with time zone not null,
  team_id uuid,
  constraint mails_pkey PRIMARY KEY (id),
  constraint mails_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE,
  constraint mails_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint mails_kind_check CHECK (kind = ANY (ARRAY['invitation'::text, 'code'::text, 'recovery'::text, 'alert'::text, 'device_link'::text]))
);

create index mails_team ON public.mails (team_id) WHERE (team_id IS NOT NULL);
create unique index mails_user ON public.mails (user_id);
