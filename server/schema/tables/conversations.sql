-- chat: What a device and a contact say to each other; also the queue of answering. Inbound messages create it, workers claim it, people pause it.
create table conversations (
  id uuid not null,
  team_id uuid not null,
  device_id uuid not null,
  contact_number text not null,
  state text not null default 'bot'::text,
  paused_until timestamp(3) with time zone,
  flag text,
  answer_due_at timestamp(3) with time zone,
  claim_fence bigint not null default 0,
  claimed_until timestamp with time zone,
  attempts integer not null default 0,
  last_message_at timestamp(3) with time zone not null default now(),
  created_at timestamp(3) with time zone not null default now(),
  flag_reason text,
  noticed_at timestamp(3) with time zone,
  flagged_at timestamp(3) with time zone,
  read_at timestamp(3) with time zone,
  closed_at timestamp(3) with time zone,
  labels text[] not null default '{}'::text[],
  assignee_id uuid,
  assigned_at timestamp(3) with time zone,
  constraint conversations_pkey PRIMARY KEY (id),
  constraint conversations_device_id_contact_number_key UNIQUE (device_id, contact_number),
  constraint conversations_assignee_id_fkey FOREIGN KEY (assignee_id) REFERENCES users(id) ON DELETE SET NULL,
  constraint conversations_state_check CHECK (state = ANY (ARRAY['bot'::text, 'paused'::text]))
);

create index conversations_assigned ON public.conversations (assignee_id, last_message_at DESC, id DESC) WHERE (assignee_id IS NOT NULL);
create index conversations_claimable ON public.conversations (team_id, GREATEST(answer_due_at, claimed_until)) WHERE (answer_due_at IS NOT NULL);
create index conversations_due ON public.conversations (answer_due_at) WHERE (answer_due_at IS NOT NULL);
create index conversations_flagged ON public.conversations (team_id, flag, last_message_at DESC, id DESC) WHERE (flag IS NOT NULL);
create index conversations_labels ON public.conversations USING gin (labels);
create index conversations_newest ON public.conversations (created_at DESC, id DESC);
create index conversations_newest_message ON public.conversations (last_message_at DESC, id DESC);
create index conversations_number ON public.conversations (contact_number text_pattern_ops);
create index conversations_number_parts ON public.conversations USING gin (contact_number gin_trgm_ops) WITH (gin_pending_list_limit='256');
create index conversations_out_of_credits ON public.conversations (id) WHERE ((flag = 'out_of_credits'::text) AND (answer_due_at IS NULL));
create index conversations_provider_failed ON public.conversations (id) WHERE ((flag = 'provider_failed'::text) AND (answer_due_at IS NULL));
create index conversations_team_newest ON public.conversations (team_id, created_at DESC, id DESC);
create index conversations_unread ON public.conversations (team_id, last_message_at DESC, id DESC) WHERE ((read_at IS NULL) OR (read_at < last_message_at));

-- trigger conversations_audit: after update, ../functions/audit_change.sql
-- trigger conversations_keep_contact: after insert, ../functions/keep_contact.sql
-- trigger conversations_record_changed: after update of state, flag, ../functions/record_conversation_event.sql
-- trigger conversations_record_inserted: after insert, ../functions/record_conversation_event.sql
