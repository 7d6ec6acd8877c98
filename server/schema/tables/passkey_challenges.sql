-- tenancy: Random values that an authenticator has to sign, once.
create table passkey_challenges (
  challenge_hash bytea not null,
  person_id uuid,
  expires_at timestamp(3) with time zone not null,
  constraint passkey_challenges_pkey PRIMARY KEY (challenge_hash),
  constraint passkey_challenges_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE
);

create index passkey_challenges_expiry ON public.passkey_challenges (expires_at);
create index passkey_challenges_person ON public.passkey_challenges (person_id);
