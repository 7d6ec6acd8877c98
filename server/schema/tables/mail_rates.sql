-- tenancy: When mails were requested in the last hour, by team, by device and by hashed address.
create table mail_rates (
  subject text not null,
  sent_at timestamp(3) with time zone[] not null,
  constraint mail_rates_pkey PRIMARY KEY (subject)
);
