-- What the folder with this database's documents calls itself: a start on another one is refused.
alter table installation add column document_folder text;
