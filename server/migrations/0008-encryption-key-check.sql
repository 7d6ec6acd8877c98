-- A keyed hash by which a start recognises the ENCRYPTION_KEY that the sealed columns are sealed with.
alter table installation add column key_check bytea;
