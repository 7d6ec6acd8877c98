-- How the network rates the account of a device, and how many new chats it may start in a day. Null: unknown, or no limit.
alter table devices add column quality text;
alter table devices add column messaging_limit integer;
