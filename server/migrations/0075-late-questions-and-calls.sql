-- Null: the default. Questions that arrive later than this after they were sent get no answer.
alter table bot_policies add column answer_max_age_minutes integer;
-- Null: calls get no reply.
alter table devices add column missed_call_reply text;
