-- Incompatible with earlier versions: version 0.1.0 cannot work on the schema of several migrations before this one.

-- The request that sent the message, for the log. A bot's reply has the id of the last message that it answers.
alter table messages add column request_id text;
