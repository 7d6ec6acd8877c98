
-- The structure of an inbound message that its text only describes. Refers to other messages by their ids here.
alter table messages add column details jsonb;
