-- A draining pool keeps its lease while it hands its devices to others; an ended one has let go of all it had.
alter table pools add column ended boolean not null default false;
update pools set ended = draining;
