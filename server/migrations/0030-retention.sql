-- For the purge of answers by age.
create index answers_team_age on answers (team_id, created_at);
