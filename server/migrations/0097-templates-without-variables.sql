-- Null: the template has parts beside the variables of its body that Parley cannot fill.
alter table message_templates alter column variables drop not null;
