-- chat: What waits for whom, and whether the person heard of it. A worker keeps it like what waits now.
create table alerts (
  person_id uuid not null,
  kind text not null,
  object_id uuid not null,
  team_id uuid not null,
  since timestamp(3) with time zone not null,
  pushed_at timestamp(3) with time zone,
  mailed_at timestamp(3) with time zone,
  constraint alerts_pkey PRIMARY KEY (person_id, kind, object_id),
  constraint alerts_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE,
  constraint alerts_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE,
  constraint alerts_kind_check CHECK (kind = ANY (ARRAY['conversation'::text, 'device'::text]))
);

create index alerts_team ON public.alerts (team_id);
