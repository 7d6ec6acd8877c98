-- Users with a team are its members, those without belong to the partner's staff. The administrators of existing teams become owners, and so
-- do those of teams that an earlier version creates.
alter table users
  alter column team_id drop not null,
  add column role text not null default 'owner',
  add constraint users_role_check check (
    role = any (case when team_id is null then array['owner', 'admin', 'support']
                else array['owner', 'editor', 'agent', 'viewer'] end));
