-- Workers claim conversations in turn from the teams. A conversation can be claimed when it is due and its last claim has expired.
create index conversations_claimable on conversations (team_id, (greatest(answer_due_at, claimed_until)))
  where answer_due_at is not null;
