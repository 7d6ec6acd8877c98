-- devices: What devices may send to contacts who have not written for 24 hours, as the network last reported it. Requests and the pool that owns the device write it.
create table message_templates (
  id uuid not null,
  team_id uuid not null,
  device_id uuid not null,
  name text not null,
  language text not null,
  category text not null,
  state text not null,
  reason text,
  body text not null,
  variables integer,
  external_id text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint message_templates_pkey PRIMARY KEY (id),
  constraint message_templates_device_id_name_language_key UNIQUE (device_id, name, language),
  constraint message_templates_team_id_device_id_fkey FOREIGN KEY (team_id, device_id) REFERENCES devices(team_id, id) ON DELETE CASCADE
);

create index message_templates_newest ON public.message_templates (device_id, created_at DESC, id DESC);

-- trigger message_templates_audit: after insert, delete, update, ../functions/audit_change.sql
-- trigger message_templates_record_state: after update, ../functions/record_template_event.sql
