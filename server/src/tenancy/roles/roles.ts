import type { Actor } from '../../platform/http/actor.ts';
import type { OperationRoles } from '../../platform/http/authentication.ts';
import { pagesOf } from './portal-pages.ts';

/** Each role has the rights of those before it. */
export const partnerRoles = ['support', 'admin', 'owner'] as const;
export const teamRoles = ['viewer', 'agent', 'editor', 'owner'] as const;
type PartnerRole = (typeof partnerRoles)[number];
type TeamRole = (typeof teamRoles)[number];
export type Role = PartnerRole | TeamRole;

type Lowest = readonly [partner: PartnerRole, team: TeamRole | null];

const deployment: Lowest = ['admin', null];
const deploymentReading: Lowest = ['support', null];
const reading: Lowest = ['support', 'viewer'];
const conversing: Lowest = ['support', 'agent'];
const building: Lowest = ['admin', 'editor'];
const owning: Lowest = ['admin', 'owner'];
const partnerOwning: Lowest = ['owner', null];

/**
 * The lowest roles of the partner's staff and of a team that may call each operation. An operation that is absent is closed to
 * every role. Callers without a role have all rights within their scope.
 */
const lowestRoles: Readonly<Record<string, Lowest>> = {
  createApiKey: deployment,
  listApiKeys: deploymentReading,
  getApiKey: deploymentReading,
  updateApiKey: deployment,
  deleteApiKey: deployment,
  listEvents: reading,
  listAuditLog: reading,
  listPlans: deploymentReading,
  putPlan: deployment,
  deletePlan: deployment,
  createTeam: deployment,
  listTeams: reading,
  getTeam: reading,
  updateTeam: owning,
  deleteTeam: deployment,
  getBrand: reading,
  putBrand: owning,
  getHost: deploymentReading,
  putHost: deployment,
  deleteHost: deployment,
  createTeamMember: owning,
  inviteTeamMember: owning,
  listTeamMembers: reading,
  updateTeamMember: owning,
  deleteTeamMember: owning,
  createUser: partnerOwning,
  inviteUser: partnerOwning,
  listUsers: deploymentReading,
  updateUser: partnerOwning,
  deleteUser: partnerOwning,
  getTeamUsage: reading,
  getCompliance: reading,
  getQuotaWarnings: reading,
  uploadDocument: building,
  listDocuments: reading,
  getDocument: reading,
  getDocumentContent: reading,
  renameDocument: building,
  deleteDocument: building,
  createBot: building,
  listBots: reading,
  getBot: reading,
  updateBot: building,
  deleteBot: building,
  publishBot: building,
  listBotVersions: reading,
  getBotVersion: reading,
  restoreBotVersion: building,
  getUnansweredQuestions: reading,
  listCases: reading,
  getCase: reading,
  createCase: building,
  importCases: building,
  proposeCases: building,
  updateCase: building,
  deleteCase: building,
  createRun: building,
  listRuns: reading,
  getRun: reading,
  listRunResults: reading,
  getBotAnalytics: reading,
  getTeamAnalytics: reading,
  getBotHealth: reading,
  getPreview: reading,
  setPreview: building,
  getGate: reading,
  putGate: owning,
  deleteGate: owning,
  askBot: building,
  tryBotAction: building,
  createDevice: building,
  listDevices: reading,
  getDevice: reading,
  getDeviceStatus: reading,
  updateDevice: building,
  deleteDevice: building,
  putDeviceCredentials: building,
  listTemplates: reading,
  createTemplate: building,
  deleteTemplate: building,
  revokeDeviceToken: building,
  connectDevice: building,
  stopDevice: building,
  logoutDevice: building,
  createDeviceLink: building,
  deleteDeviceLink: building,
  createPortalLink: conversing,
  listPools: deploymentReading,
  drainPool: deployment,
  exportContact: conversing,
  listContacts: reading,
  getContact: reading,
  updateContact: conversing,
  getConsents: reading,
  putConsent: conversing,
  importConsents: conversing,
  eraseContact: ['admin', 'agent'],
  createWebhook: building,
  listWebhooks: reading,
  getWebhook: reading,
  updateWebhook: building,
  deleteWebhook: building,
  rotateWebhookSecret: building,
  testWebhook: building,
  listWebhookDeliveries: reading,
  replayWebhook: building,
  listMessages: reading,
  getMessage: reading,
  getMessageMedia: reading,
  getMessageAnswer: reading,
  rateMessage: conversing,
  getActivity: reading,
  getAttention: reading,
  listConversations: reading,
  getConversation: reading,
  listConversationMessages: reading,
  writeToConversation: conversing,
  sendFileToConversation: conversing,
  pauseConversation: conversing,
  markConversationRead: conversing,
  closeConversation: conversing,
  answerConversation: conversing,
  getWaiting: reading,
  answerWaiting: conversing,
  assignConversation: conversing,
  labelConversation: conversing,
  noteTyping: conversing,
  createNote: conversing,
  listNotes: reading,
  getHours: reading,
  putHours: owning,
  getSavedReplies: reading,
  putSavedReplies: conversing,
  resumeConversation: conversing,
  sendMessage: conversing,
};

const from = <R>(roles: readonly R[], lowest: R | null): R[] =>
  lowest === null ? [] : roles.slice(roles.indexOf(lowest));

const nobody: OperationRoles = { partner: [], team: [], portal: [] };

const allowed: ReadonlyMap<string, OperationRoles> = new Map(
  Object.entries(lowestRoles).map(([id, [partner, team]]) => [
    id,
    { partner: from(partnerRoles, partner), team: from(teamRoles, team), portal: pagesOf(id) },
  ]),
);

export const rolesOf = (operationId: string): OperationRoles => allowed.get(operationId) ?? nobody;

/**
 * Whether the actor may see what only an editor of the object needs: tokens of devices, codes that link a phone, values of action
 * headers.
 */
export function seesSecrets(
  { scope, role, pages }: Pick<Actor, 'scope' | 'role' | 'pages'>,
  editing: 'updateBot' | 'updateDevice',
): boolean {
  const allowed = rolesOf(editing);
  if (pages !== undefined && !allowed.portal.some((page) => pages.includes(page))) return false;
  return role === null || allowed[scope.kind === 'all' ? 'partner' : 'team'].includes(role);
}
