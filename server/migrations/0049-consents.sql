create table consents (
  team_id uuid not null,
  -- A number with +, an id of the network, or hash: and the keyed hash of one that was erased.
  contact text not null,
  kind text not null constraint consents_kind_check check (kind in ('active_messages')),
  state text not null constraint consents_state_check check (state in ('in', 'out', 'unknown')),
  source text not null constraint consents_source_check check (source in ('contact', 'api', 'console', 'import')),
  proof text,
  decided_at timestamp(3) with time zone not null default now(),
  primary key (team_id, contact, kind)
);
create index consents_contact on consents (contact);
