-- tenancy: The quotas that teams share.
create table plans (
  name text not null,
  allow_active_messaging boolean not null,
  active_messages_monthly integer not null,
  paying boolean not null,
  bots integer not null,
  accounts integer not null,
  characters integer not null,
  documents integer not null,
  members integer not null,
  credits integer not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint plans_pkey PRIMARY KEY (name),
  constraint plans_accounts_check CHECK (accounts >= 0),
  constraint plans_active_messages_monthly_check CHECK (active_messages_monthly >= 0),
  constraint plans_bots_check CHECK (bots >= 0),
  constraint plans_characters_check CHECK (characters >= 0),
  constraint plans_credits_check CHECK (credits >= 0),
  constraint plans_documents_check CHECK (documents >= 0),
  constraint plans_members_check CHECK (members >= 0)
);

-- trigger plans_audit: after insert, delete, update, ../functions/audit_change.sql
