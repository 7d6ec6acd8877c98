-- The team in whose name a mail goes to somebody who is no user: the address at which a phone can be linked.
alter table mails add column team_id uuid references teams on delete cascade;
create index mails_team on mails (team_id) where team_id is not null;

alter table mails drop constraint mails_kind_check;
alter table mails add constraint mails_kind_check check (kind in ('invitation', 'code', 'recovery', 'alert', 'device_link'));
