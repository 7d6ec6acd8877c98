-- chat: Whether a contact wants active messages of a team, for each form of the contact. Words of the contact and requests write it, POST /send and the outbox obey it. It survives erasure as a hash.
create table consents (
  team_id uuid not null,
  contact text not null,
  kind text not null,
  state text not null,
  source text not null,
  proof text,
  decided_at timestamp(3) with time zone not null default now(),
  constraint consents_pkey PRIMARY KEY (team_id, contact, kind),
  constraint consents_kind_check CHECK (kind = 'active_messages'::text),
  constraint consents_source_check CHECK (source = ANY (ARRAY['contact'::text, 'api'::text, 'console'::text, 'import'::text])),
  constraint consents_state_check CHECK (state = ANY (ARRAY['in'::text, 'out'::text, 'unknown'::text]))
);

create index consents_contact ON public.consents (contact);
