-- chat: One row: the key pair by which push services know the deployment.
create table push_keys (
  public_key text not null,
  private_key_sealed bytea not null,
  constraint push_keys_pkey PRIMARY KEY (public_key)
);

create unique index push_keys_one ON public.push_keys ((true));
