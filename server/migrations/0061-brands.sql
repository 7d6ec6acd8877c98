-- How the console and mails present themselves to a team. A null column is as the deployment has it. An older release shows the
-- brand of the deployment to everybody.
create table brands (
  team_id uuid primary key references teams on delete cascade,
  name text,
  color text check (color ~ '^#[0-9a-f]{6}$'),
  sender_name text,
  logo bytea,
  logo_type text check (logo_type in ('image/png', 'image/jpeg', 'image/webp')),
  updated_at timestamptz(3) not null default now(),
  check ((logo is null) = (logo_type is null))
);

-- Host names that show the brand of a team before anybody signs in. An older release accepts only those of ALLOWED_HOSTS.
create table hosts (
  name text primary key,
  team_id uuid not null references teams on delete cascade,
  created_at timestamptz(3) not null default now()
);
create index hosts_team on hosts (team_id);
