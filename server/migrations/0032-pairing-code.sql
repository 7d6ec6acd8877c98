-- The phone that may link with a code instead of a scan. `qr_text` then holds that code.
alter table devices add column pairing_phone_number text;
