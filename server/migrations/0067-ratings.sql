-- What people of the team and the contact think of an answer: 1 thumb up, -1 thumb down.
alter table answers add column rating smallint check (rating in (1, -1));
alter table answers add column contact_rating smallint check (contact_rating in (1, -1));
