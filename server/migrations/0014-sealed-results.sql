-- What a repeat under an Idempotency-Key gets may hold a device's token or the headers of an action: it is kept sealed.
-- Results that were kept in the clear cannot be sealed here and go with their keys, a day before they would have.
delete from idempotency_keys where body is not null;
alter table idempotency_keys drop column body;
alter table idempotency_keys add column body_sealed bytea;
