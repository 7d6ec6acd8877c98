-- platform: The heartbeats of the processes that run jobs. What a silent one had locked goes to the others.
create table job_runners (
  id text not null,
  seen_at timestamp with time zone not null default now(),
  constraint job_runners_pkey PRIMARY KEY (id)
);
