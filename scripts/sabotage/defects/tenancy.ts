// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of code that are templates themselves
import type { Defect } from '../defect.ts';

/** What belongs to whom, and what is left of it. */
export const tenancyDefects: readonly Defect[] = [
  {
    name: 'drop-the-team-filter',
    file: 'server/src/devices/devices.queries.ts',
    find: 'and (asked.sees_all or d.team_id = asked.team_id)',
    replace: '',
    test: {
      file: 'server/test/scopes.test.ts',
      name: 'a key of scope team finds nothing of another team by a path',
    },
    why: "A team's key would read another team's devices.",
  },
  {
    name: 'answer-with-the-device-of-the-next',
    file: 'server/src/devices/devices.queries.ts',
    find: 'found[row.place - 1] = row',
    replace: 'found[row.place % found.length] = row',
    test: {
      file: 'server/src/devices/devices.routes.test.ts',
      name: 'that are asked for in one turn are read by one statement, each as its caller may see it',
    },
    why: "Of devices that are asked for at once, one caller would be shown the other one's.",
  },
  {
    name: 'take-an-empty-identity-for-one',
    file: 'server/src/database/document-folder.ts',
    find: "if (agreed === '')",
    replace: "if (agreed === 'never')",
    test: {
      file: 'server/src/database/document-folder.test.ts',
      name: 'is empty is refused, and not remembered',
    },
    why: 'Two folders that lost theirs would count as one.',
  },
  {
    name: 'have-two-folders-of-documents',
    file: 'server/src/database/installation.queries.ts',
    find: 'coalesce(document_folder, ${folder})',
    replace: '${folder}',
    test: {
      file: 'server/src/database/document-folder.test.ts',
      name: 'has one folder when many programs start at once, each on another: all but one are refused',
    },
    why: 'Documents would lie in a folder that other processes of the deployment do not read.',
  },
  {
    name: 'bind-a-foreign-bot',
    file: 'server/src/devices/devices.queries.ts',
    find: "where id = ${botId} and team_id = ${teamId} and state = 'live' for key share",
    replace: "where id = ${botId} and state = 'live' for key share",
    test: {
      file: 'server/src/devices/devices.routes.test.ts',
      name: 'names what its body refers to wrongly',
    },
    why: "A device could be bound to another team's bot.",
  },
  {
    name: 'show-the-messages-of-the-deleted',
    file: 'server/src/messages/messages.queries.ts',
    find: 'exists (select from teams t where t.id = messages.team_id)',
    replace: 'true',
    test: {
      file: 'server/src/messages/send.test.ts',
      name: 'what a deleted team has sent is not to be seen, even before it is purged',
    },
    why: 'What a deleted team had sent would be listed until it is purged.',
  },
  {
    name: 'take-wildcards-for-wildcards',
    file: 'server/src/database/filters.ts',
    find: "part.replaceAll(/[\\\\%_]/g, '\\\\$&')",
    replace: 'part',
    test: {
      file: 'server/src/teams/teams.routes.test.ts',
      name: 'the name filter is a part of the name in any case, and wildcards stand for themselves',
    },
    why: 'A name with an underscore would find others.',
  },
  {
    name: 'lose-a-page',
    file: 'server/src/http/pagination.ts',
    find: 'Math.ceil(total / limit)',
    replace: 'Math.floor(total / limit)',
    test: {
      file: 'server/src/teams/teams.routes.test.ts',
      name: 'the list has pages, newest first, and an empty one past the end',
    },
    why: 'The last page of a list would never be asked for.',
  },
  {
    name: 'begin-a-page-one-late',
    file: 'server/src/http/pagination.ts',
    find: 'offset: (page - 1) * limit',
    replace: 'offset: Math.max((page - 1) * limit + (page > 1 ? 1 : 0), 0)',
    test: {
      file: 'server/src/teams/teams.routes.test.ts',
      name: 'the list has pages, newest first, and an empty one past the end',
    },
    why: 'One object would be on no page.',
  },
  {
    name: 'leave-the-files-of-a-team',
    file: 'server/src/teams/delete-team.queries.ts',
    find: 'where team_id = ${teamId} and file_key is not null',
    replace: 'where team_id = ${teamId} and file_key is null',
    test: {
      file: 'server/src/teams/delete-team.test.ts',
      name: 'a deleted team is gone with all that belongs to it, and leaves tombstones for what lives outside',
    },
    why: "A deleted team's files would stay in the file store for ever.",
  },
  {
    name: 'leave-the-file-of-a-document',
    file: 'server/src/documents/documents.ts',
    find: "{ teamId, kind: 'file', ref: deleted.file_key },",
    replace: '',
    test: {
      file: 'server/src/documents/documents.routes.test.ts',
      name: 'a deleted document is gone, gives its quota back and leaves tombstones',
    },
    why: "A deleted document's file would stay in the file store for ever.",
  },
  {
    name: 'keep-the-credentials-after-unlinking',
    file: 'server/src/pool/unlinking.queries.ts',
    find: 'delete from device_sessions where device_id in (select ref::uuid from done)',
    replace: 'select from done',
    test: {
      file: 'server/src/devices/device-states.test.ts',
      name: 'is unlinked from its phone when it is deleted, and its credentials are wiped',
    },
    why: "A deleted device's credentials would be kept.",
  },
  {
    name: 'keep-the-credentials-after-a-logout',
    file: 'server/src/pool/session-state.queries.ts',
    find: 'delete from device_sessions where device_id in (select id from unlinked)',
    replace: 'select from unlinked',
    test: {
      file: 'server/src/devices/device-states.test.ts',
      name: 'that is unlinked from its phone is stopped and can be linked anew',
    },
    why: 'Credentials that the phone has made void would be kept, and tried.',
  },
  {
    name: 'connect-while-a-ban-is-written',
    file: 'server/src/devices/devices.queries.ts',
    find: 'for share`.execute(tx);',
    replace: '`.execute(tx);',
    test: {
      file: 'server/src/devices/device-states.test.ts',
      name: 'stays stopped when its team is being banned while it is asked to connect',
    },
    why: "A banned team's device could be started in the moment of the ban.",
  },
  {
    name: 'undo-a-newer-draft',
    file: 'server/src/bots/publish.queries.ts',
    find: 'published = (draft_revision = ${draftRevision})',
    replace: 'published = true',
    test: {
      file: 'server/src/bots/publish.test.ts',
      name: 'while the draft is changed makes the draft it began with live, and says that it is changed',
    },
    why: 'A change made while publishing would count as published.',
  },
];
