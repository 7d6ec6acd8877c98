-- What a repeat under an Idempotency-Key gets may hold a device's token or the headers of an action: it is kept sealed.
-- Results that were kept in the clear cannot be sealed here. Their keys stay for as long as they would have, so that a
-- repeat is refused as in flight rather than done again.
update idempotency_keys set status = null, claimed_until = created_at + interval '24 hours' where status is not null;
alter table idempotency_keys drop column body;
alter table idempotency_keys add column body_sealed bytea;
