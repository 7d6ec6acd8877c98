-- chat: Browsers that show alerts, with their addresses and keys.
create table push_subscriptions (
  id uuid not null,
  person_id uuid not null,
  endpoint_hash bytea not null,
  subscription_sealed bytea not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint push_subscriptions_pkey PRIMARY KEY (id),
  constraint push_subscriptions_endpoint_hash_key UNIQUE (endpoint_hash),
  constraint push_subscriptions_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE
);

create index push_subscriptions_person ON public.push_subscriptions (person_id);
