-- records: The queue of webhooks: which event goes to which receiver, and when next.
create table webhook_deliveries (
  event_id uuid not null,
  webhook_id uuid not null,
  xid xid8 not null,
  seq bigint not null,
  chat text,
  status text not null default 'pending'::text,
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone not null default now(),
  last_attempt_at timestamp(3) with time zone,
  response_status integer,
  error text,
  created_at timestamp(3) with time zone not null default now(),
  constraint webhook_deliveries_pkey PRIMARY KEY (event_id, webhook_id),
  constraint webhook_deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE,
  constraint webhook_deliveries_status_check CHECK (status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text]))
) with (fillfactor=80);

create index webhook_deliveries_chat ON public.webhook_deliveries (webhook_id, chat, xid, seq) WHERE ((status = 'pending'::text) AND (chat IS NOT NULL));
create index webhook_deliveries_due ON public.webhook_deliveries (webhook_id, next_attempt_at, xid, seq) WHERE (status = 'pending'::text);
create index webhook_deliveries_newest ON public.webhook_deliveries (webhook_id, created_at DESC, event_id DESC);
