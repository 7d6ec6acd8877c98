-- Word counts are no longer needed. Version 0.2.0 still writes those of passages, so this column can go only in the version after 0.3.0.
alter table embedded_provider.passages alter column word_count set default 0;
alter table embedded_provider.documents drop column word_count;
