-- tenancy: Who a person is at the identity provider.
create table person_identities (
  issuer text not null,
  subject text not null,
  person_id uuid not null,
  constraint person_identities_pkey PRIMARY KEY (issuer, subject),
  constraint person_identities_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE
);

create index person_identities_person ON public.person_identities (person_id);
