-- When a message to the contact last said that a machine answers.
alter table conversations add column noticed_at timestamp(3) with time zone;
