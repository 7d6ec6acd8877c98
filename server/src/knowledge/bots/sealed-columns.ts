import type { SealedColumn } from '../../platform/shared/encryption.ts';

export const actionHeadersContext = (teamId: string, botId: string, actionId: string): string =>
  `bot_actions:${teamId}:${botId}:${actionId}`;

export const versionActionsContext = (teamId: string, botId: string, version: number | string): string =>
  `bot_versions:${teamId}:${botId}:${version}`;

export const sealedBotColumns: readonly SealedColumn[] = [
  {
    table: 'bot_actions',
    column: 'headers_sealed',
    identity: ['team_id', 'bot_id', 'id'],
    context: actionHeadersContext,
  },
  {
    table: 'bot_versions',
    column: 'actions_sealed',
    identity: ['team_id', 'bot_id', 'version'],
    context: versionActionsContext,
  },
];
