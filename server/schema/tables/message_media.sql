-- chat: Voice and images of messages, in the row or in the file store.
create table message_media (
  message_id uuid not null,
  "position" integer not null,
  kind text not null,
  mime_type text not null,
  bytes bytea,
  seconds integer,
  waveform bytea,
  file_key text,
  size integer,
  file_name text,
  constraint message_media_pkey PRIMARY KEY (message_id, "position"),
  constraint message_media_in_one_place CHECK ((bytes IS NULL) = (file_key IS NOT NULL) AND (file_key IS NULL) = (size IS NULL)),
  constraint message_media_kind_check CHECK (kind = ANY (ARRAY['image'::text, 'voice'::text, 'document'::text]))
);

create unique index message_media_file ON public.message_media (file_key) WHERE (file_key IS NOT NULL);
create index message_media_to_move ON public.message_media (message_id, "position") WHERE (octet_length(bytes) > 65536);

-- trigger message_media_files: after delete, ../functions/schedule_media_deletion.sql
