-- A key that replaces the id of a device in the script tag of a website.
alter table devices add column site_key text;
create unique index devices_site_key on devices (site_key) where site_key is not null;

-- How a person looks in the chat on a website.
alter table users add column picture bytea;
alter table users add column picture_type text;
