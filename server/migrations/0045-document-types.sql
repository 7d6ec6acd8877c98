-- Documents may also be Markdown, HTML, CSV, XLSX and PPTX files.
alter table documents drop constraint documents_type_check;
alter table documents add constraint documents_type_check
  check (type in ('pdf', 'txt', 'docx', 'doc', 'md', 'html', 'csv', 'xlsx', 'pptx'));
