-- Conversations that rest because their team is out of credits, for the job that looks whether it has some again.
create index conversations_out_of_credits on conversations (id) where flag = 'out_of_credits' and answer_due_at is null;
