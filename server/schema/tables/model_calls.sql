-- tenancy: The calls of language models that returned, and what they cost. Null is unknown, never 0.
create table model_calls (
  id bigint not null generated always as identity,
  team_id uuid not null,
  purpose text not null,
  answer_id uuid,
  provider text not null,
  model text not null,
  input_tokens integer,
  cached_tokens integer,
  output_tokens integer,
  reasoning_tokens integer,
  cost numeric(24,12),
  created_at timestamp(3) with time zone not null default now(),
  constraint model_calls_pkey PRIMARY KEY (id),
  constraint model_calls_purpose_check CHECK (purpose = ANY (ARRAY['answer'::text, 'question'::text, 'rewrite'::text]))
);

create index model_calls_answer ON public.model_calls (team_id, answer_id);
