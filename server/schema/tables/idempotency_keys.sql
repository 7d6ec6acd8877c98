-- platform: The answer to a request that carried an Idempotency-Key. While status is null, the request is in flight until claimed_until.
create table idempotency_keys (
  api_key_id text not null,
  method text not null,
  path text not null,
  key text not null,
  fingerprint bytea not null,
  status integer,
  claim uuid not null,
  claimed_until timestamp with time zone not null,
  created_at timestamp(3) with time zone not null default now(),
  body_sealed bytea,
  constraint idempotency_keys_pkey PRIMARY KEY (api_key_id, method, path, key)
);

create index idempotency_keys_age ON public.idempotency_keys (created_at);
