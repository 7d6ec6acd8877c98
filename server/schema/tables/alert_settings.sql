-- chat: What a person wants to hear of, and when. Without a row: mails about the own teams.
create table alert_settings (
  person_id uuid not null,
  mail_after_minutes smallint,
  push boolean not null,
  devices boolean not null,
  quiet_from time without time zone not null,
  quiet_until time without time zone not null,
  timezone text not null,
  language text not null,
  team_ids uuid[],
  constraint alert_settings_pkey PRIMARY KEY (person_id),
  constraint alert_settings_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE
);
