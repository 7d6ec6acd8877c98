-- chat: Every message in and out. Rows with status accepted are the outbox. Requests and answers insert them, the pool that owns the device sends them.
create table messages (
  id uuid not null,
  seq bigint not null generated always as identity,
  team_id uuid not null,
  device_id uuid not null,
  contact_number text not null,
  direction text not null,
  origin text not null,
  kind text not null,
  text text not null,
  mime_type text,
  network_id text not null,
  status text not null,
  failure text,
  answer_id uuid,
  charged_month date,
  refunded boolean not null default false,
  generation text,
  attempts integer not null default 0,
  next_attempt_at timestamp(3) with time zone not null default now(),
  claim_epoch bigint,
  claimed_until timestamp with time zone,
  sent_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  handed_off_at timestamp(3) with time zone,
  held_when_restricted boolean not null default false,
  details jsonb,
  request_id text,
  external_id text,
  failure_code integer,
  pricing jsonb,
  template jsonb,
  choices jsonb,
  constraint messages_pkey PRIMARY KEY (id),
  constraint messages_direction_check CHECK (direction = ANY (ARRAY['in'::text, 'out'::text])),
  constraint messages_generation_check CHECK (generation = ANY (ARRAY['requested'::text, 'generated'::text, 'failed'::text])),
  constraint messages_kind_check CHECK (kind = ANY (ARRAY['text'::text, 'image'::text, 'voice'::text, 'document'::text])),
  constraint messages_origin_check CHECK (origin = ANY (ARRAY['contact'::text, 'bot'::text, 'api'::text, 'person'::text])),
  constraint messages_status_check CHECK (status = ANY (ARRAY['received'::text, 'answered'::text, 'ignored'::text, 'accepted'::text, 'sent'::text, 'delivered'::text, 'read'::text, 'refused'::text, 'unknown'::text]))
);

create index messages_chat ON public.messages (device_id, contact_number, seq);
create unique index messages_external_id ON public.messages (device_id, external_id) WHERE (external_id IS NOT NULL);
create unique index messages_network_id ON public.messages (device_id, contact_number, direction, network_id);
create index messages_newest ON public.messages (created_at DESC, id DESC);
create index messages_outbox ON public.messages (device_id, seq) WHERE ((direction = 'out'::text) AND (status = 'accepted'::text));
create index messages_outbox_media ON public.messages (device_id, seq) WHERE ((direction = 'out'::text) AND (status = 'accepted'::text) AND (kind <> 'text'::text));
create index messages_own_texts ON public.messages (device_id, hashtextextended(text, (0)::bigint), (((details -> 'automatic'::text) IS NOT NULL))) WHERE (origin = 'person'::text);
create index messages_team_newest ON public.messages (team_id, created_at DESC, id DESC);
create index messages_unanswered ON public.messages (device_id, contact_number, seq) WHERE ((direction = 'in'::text) AND (status = 'received'::text));
create index messages_words ON public.messages USING gin (((array_to_tsvector(ARRAY[(team_id)::text]) || to_tsvector('simple'::regconfig, translate("left"(text, 4096), '-@/._:#+'::text, '        '::text))))) WITH (gin_pending_list_limit='1024');

-- trigger messages_audit: after insert, ../functions/audit_change.sql
-- trigger messages_record_inserted: after insert, ../functions/record_message_event.sql
-- trigger messages_record_status: after update, ../functions/record_message_statuses.sql
