-- Addresses that open the console for one team, each once, and the sessions that begin there. An older release does not know the
-- table and refuses their tokens.
create table portal_links (
  id uuid primary key,
  token_hash bytea not null unique,
  team_id uuid not null references teams on delete cascade,
  role text not null check (role in ('viewer', 'agent', 'editor')),
  pages text[] not null,
  -- An API key, or user: and the id of a user. The session ends with the creator.
  creator_id text not null,
  -- The token_generation of the key, 0 for a person: a key that was deactivated meanwhile has a later one.
  creator_generation int not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  session_hash bytea unique,
  session_expires_at timestamptz(3)
);
create index portal_links_team on portal_links (team_id);

-- The name of somebody in a portal comes from the row about the link.
create index audit_log_portal_links on audit_log (object_id) where object_type = 'portal_link';
