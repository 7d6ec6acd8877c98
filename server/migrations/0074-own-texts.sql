-- Finds greetings and away messages that the app of a business repeats. Only persons' messages are in it.
create index messages_own_texts on messages (device_id, hashtextextended(text, 0), (details -> 'automatic' is not null))
  where origin = 'person';
