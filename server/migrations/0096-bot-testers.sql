-- Contacts who get the draft of a bot.
create table bot_testers (
  bot_id uuid not null references bots (id) on delete cascade,
  team_id uuid not null,
  contact_number text not null,
  primary key (bot_id, contact_number)
);
