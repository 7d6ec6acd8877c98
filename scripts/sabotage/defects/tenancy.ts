// biome-ignore-all lint/suspicious/noTemplateCurlyInString: source text that contains template literals
import type { Defect } from '../defect.ts';

/** The scope of teams, and what deletions remove. */
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
];
