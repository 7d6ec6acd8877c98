-- The account of a device on a network with credentials, and the key of its account in the address of the webhook.
alter table devices add column account_id text;
alter table devices add column account_key text;

create index devices_account_key on devices (account_key) where account_key is not null;
create unique index devices_connected_account on devices (network, account_id) where logged_in and account_id is not null;

-- A number may be on the official network and on a linked phone at the same time.
drop index devices_linked_phone;
create unique index devices_linked_phone on devices (phone_number, network) nulls not distinct where logged_in;
