-- Members of the partner's staff who were removed. OIDC_ALLOWED_DOMAINS does not admit them again; an invitation does. An older release
-- does not know the table, and its removals are not in it.
create table former_staff (
  id bigint generated always as identity primary key,
  -- In lower case.
  email text not null,
  -- Who they were at the identity provider. Null: they never signed in there.
  issuer text,
  subject text
);
