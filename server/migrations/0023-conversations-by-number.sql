-- Finds conversations by the beginning of the contact's number.
create index conversations_number on conversations (contact_number text_pattern_ops);
