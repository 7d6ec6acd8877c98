-- Who a person is at the identity provider of the deployment. An older release does not know the table and loses nothing.
create table person_identities (
  issuer text not null,
  subject text not null,
  person_id uuid not null references people on delete cascade,
  primary key (issuer, subject)
);
create index person_identities_person on person_identities (person_id);
