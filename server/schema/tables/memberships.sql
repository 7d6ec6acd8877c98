-- tenancy: Which person a user is. A user without a row has no way to sign in yet.
create table memberships (
  user_id uuid not null,
  person_id uuid not null,
  constraint memberships_pkey PRIMARY KEY (user_id),
  constraint memberships_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE,
  constraint memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

create index memberships_person ON public.memberships (person_id);

-- trigger memberships_audit: after insert, delete, update, ../functions/audit_change.sql
-- trigger memberships_delete_people: after delete, ../functions/delete_people_without_memberships.sql
