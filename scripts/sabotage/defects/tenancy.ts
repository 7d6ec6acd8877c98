// biome-ignore-all lint/suspicious/noTemplateCurlyInString: source text that contains template literals
import type { Defect } from '../defect.ts';

/** Tenancy and deletion. */
export const tenancyDefects: readonly Defect[] = [
  {
    name: 'search-documents-of-other-teams',
    file: 'server/src/knowledge/search/knowledge.queries.ts',
    find: 'and installation_id = ${installationId} and team_id = ${teamId}',
    replace: 'and installation_id = ${installationId}',
    test: {
      file: 'server/src/knowledge/assistant-provider/embedded/passage-answers.test.ts',
      name: 'never quotes passages of another team',
    },
    why: "A bot would quote another team's document.",
  },
  {
    name: 'drop-the-team-filter',
    file: 'server/src/devices/devices.queries.ts',
    find: "d.id = ${value('id')} and (${value('seesAll')}::boolean or d.team_id = ${value('teamId')}::uuid)",
    replace:
      "d.id = ${value('id')} and (${value('seesAll')}::boolean or ${value('teamId')}::uuid is not null)",
    test: {
      file: 'server/src/devices/devices.routes.test.ts',
      name: "of another team return 404 for a team's key on every route",
    },
    why: "A team's key would read another team's devices.",
  },
  {
    name: 'drop-the-team-filter-of-a-batch',
    file: 'server/src/devices/devices.queries.ts',
    find: 'and (asked.sees_all or d.team_id = asked.team_id)',
    replace: '',
    test: {
      file: 'server/src/devices/devices.routes.test.ts',
      name: 'read in the same tick share one statement, with the scope of each caller',
    },
    why: "A team's key would read another team's devices together with other requests.",
  },
  {
    name: 'return-the-device-of-the-next-caller',
    file: 'server/src/devices/devices.queries.ts',
    find: 'found[row.position - 1] = row',
    replace: 'found[row.position % found.length] = row',
    test: {
      file: 'server/src/devices/devices.routes.test.ts',
      name: 'read in the same tick share one statement, with the scope of each caller',
    },
    why: "In a batch of reads, one caller would receive another caller's device.",
  },
  {
    name: 'accept-an-empty-folder-identity',
    file: 'server/src/platform/database/document-folder.ts',
    find: "if (agreed === '')",
    replace: "if (agreed === 'never')",
    test: {
      file: 'server/src/platform/database/document-folder.test.ts',
      name: 'is rejected and not stored if its',
    },
    why: 'Two folders without an identity file would count as the same folder.',
  },
  {
    name: 'allow-two-document-folders',
    file: 'server/src/platform/database/installation.queries.ts',
    find: 'coalesce(document_folder, ${folder})',
    replace: '${folder}',
    test: {
      file: 'server/src/platform/database/document-folder.test.ts',
      name: 'accepts one folder when many programs start at once in different folders',
    },
    why: 'Documents would be stored in a folder that other processes of the deployment do not read.',
  },
  {
    name: 'bind-a-foreign-bot',
    file: 'server/src/knowledge/bots/bots.sql.ts',
    find: "where id = ${botId} and team_id = ${teamId} and state = 'live' for key share",
    replace: "where id = ${botId} and state = 'live' for key share",
    test: {
      file: 'server/src/devices/devices.routes.test.ts',
      name: 'names the invalid references of its body',
    },
    why: "A device could be bound to another team's bot.",
  },
  {
    name: 'list-messages-of-deleted-teams',
    file: 'server/src/chat/messages/messages.queries.ts',
    find: "hasTeam('messages.team_id')",
    replace: 'sql`true`',
    test: {
      file: 'server/src/chat/messages/send.test.ts',
      name: 'hides the messages of a deleted team before they are purged',
    },
    why: 'Messages of a deleted team would be listed until they are purged.',
  },
  {
    name: 'leave-the-files-of-a-team',
    file: 'server/src/knowledge/documents/documents.sql.ts',
    find: 'where team_id = ${teamId} and file_key is not null',
    replace: 'where team_id = ${teamId} and file_key is null',
    test: {
      file: 'server/src/lifecycle/team-deletion/delete-team.test.ts',
      name: 'deletes a team with everything it owns and schedules the deletion of its external objects',
    },
    why: 'Files of a deleted team would stay in the file store forever.',
  },
  {
    name: 'leave-the-file-of-a-document',
    file: 'server/src/knowledge/documents/documents.ts',
    find: "{ teamId, kind: 'file', ref: deleted.file_key },",
    replace: '',
    test: {
      file: 'server/src/knowledge/documents/documents.routes.test.ts',
      name: 'deletes a document, refunds its quota and schedules external cleanup',
    },
    why: 'The file of a deleted document would stay in the file store forever.',
  },
  {
    name: 'keep-the-credentials-after-unlinking',
    file: 'server/src/pool/unlinking.queries.ts',
    find: '${deleteSessions(sql`select ref::uuid from done`)}',
    replace: 'select from done',
    test: {
      file: 'server/src/devices/device-states.test.ts',
      name: 'is unlinked from its phone when it is deleted, and its credentials are removed',
    },
    why: 'The credentials of a deleted device would be kept.',
  },
  {
    name: 'keep-the-credentials-after-a-logout',
    file: 'server/src/devices/session-state.sql.ts',
    find: '${deleteSessions(sql`select id from unlinked`)}',
    replace: 'select from unlinked',
    test: {
      file: 'server/src/devices/device-states.test.ts',
      name: 'stops when its phone unlinks it, and can be linked again',
    },
    why: 'Credentials that the phone has revoked would be kept and tried again.',
  },
  {
    name: 'connect-while-a-ban-is-written',
    file: 'server/src/tenancy/teams/teams.sql.ts',
    find: 'for share`.execute(tx);',
    replace: '`.execute(tx);',
    test: {
      file: 'server/src/devices/device-states.test.ts',
      name: 'stays stopped when its team is banned during a connect request',
    },
    why: 'A device of a team could be started while the team is being banned.',
  },
  {
    name: 'delete-a-bot-without-locking-its-documents',
    file: 'server/src/knowledge/bots/bots.queries.ts',
    find: '  await lockDocumentsOfBots(tx, [botId]);\n',
    replace: '',
    test: {
      file: 'server/src/knowledge/bots/bots.routes.test.ts',
      name: 'and one of its documents concurrently without a deadlock',
    },
    why: 'If a bot and one of its documents were deleted at the same time, one deletion would fail in a deadlock.',
  },
];
