-- What the network reports about a message that was sent: its number of the error, and what it charges.
alter table messages add column failure_code integer;
alter table messages add column pricing jsonb;
