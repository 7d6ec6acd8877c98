-- chat: How an answer came about. Answering writes it with the reply, in the same transaction.
create table answers (
  id uuid not null,
  team_id uuid not null,
  bot_id uuid not null,
  version integer not null,
  device_id uuid not null,
  contact_number text not null,
  answered boolean not null,
  credits integer not null,
  trace jsonb not null,
  created_at timestamp(3) with time zone not null default now(),
  rating smallint,
  contact_rating smallint,
  constraint answers_pkey PRIMARY KEY (id),
  constraint answers_contact_rating_check CHECK (contact_rating = ANY (ARRAY[1, '-1'::integer])),
  constraint answers_rating_check CHECK (rating = ANY (ARRAY[1, '-1'::integer]))
);

create index answers_chat ON public.answers (device_id, contact_number, created_at);
create index answers_purge ON public.answers (team_id);
create index answers_team_age ON public.answers (team_id, created_at);

-- trigger answers_record_payment: after insert, ../functions/record_payment_event.sql
-- trigger answers_record_unanswered: after insert, ../functions/record_answer_event.sql
