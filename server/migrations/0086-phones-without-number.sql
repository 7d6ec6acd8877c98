-- Devices on networks without phone numbers do not share a phone.
drop index devices_linked_phone;
create unique index devices_linked_phone on devices (phone_number, network) nulls not distinct
  where logged_in and phone_number is not null;
