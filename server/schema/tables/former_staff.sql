-- tenancy: Who was removed from the staff of the partner, so that the identity provider does not bring them back.
create table former_staff (
  id bigint not null generated always as identity,
  email text not null,
  issuer text,
  subject text,
  constraint former_staff_pkey PRIMARY KEY (id)
);
