/** The pages of the console to which a portal link can be restricted. */
export const portalPages = ['home', 'conversations', 'bot', 'phones', 'documents'] as const;
export type PortalPage = (typeof portalPages)[number];

/** Every page shows the brand, and names the team and the objects that its own refer to. */
const everyPage = ['getTeam', 'getBrand', 'listTeams', 'listBots', 'listDevices'];

/**
 * The operations that each page needs. A portal session may call those of its pages, as far as its role may. It creates no keys,
 * people, webhooks or links, so that nothing outlives it.
 */
const operationsOfPages: Readonly<Record<PortalPage, readonly string[]>> = {
  home: [
    ...everyPage,
    'getActivity',
    'getAttention',
    'getTeamUsage',
    'getQuotaWarnings',
    'listConversations',
    'listDocuments',
  ],
  conversations: [
    ...everyPage,
    'getAttention',
    'getDevice',
    'listEvents',
    'listMessages',
    'getMessage',
    'getMessageMedia',
    'getMessageAnswer',
    'rateMessage',
    'listConversations',
    'getConversation',
    'listConversationMessages',
    'writeToConversation',
    'sendFileToConversation',
    'pauseConversation',
    'resumeConversation',
    'markConversationRead',
    'closeConversation',
    'answerConversation',
    'getWaiting',
    'answerWaiting',
    'assignConversation',
    'labelConversation',
    'createNote',
    'listNotes',
    'getHours',
    'getSavedReplies',
    'putSavedReplies',
    'listTeamMembers',
    'listContacts',
    'getContact',
    'updateContact',
    'exportContact',
    'eraseContact',
    'getConsents',
    'putConsent',
    'sendMessage',
  ],
  bot: [
    ...everyPage,
    'createBot',
    'getBot',
    'updateBot',
    'deleteBot',
    'publishBot',
    'listBotVersions',
    'getBotVersion',
    'restoreBotVersion',
    'askBot',
    'tryBotAction',
    'listDocuments',
    'getDocument',
  ],
  phones: [
    ...everyPage,
    'getBot',
    'createDevice',
    'getDevice',
    'getDeviceStatus',
    'updateDevice',
    'deleteDevice',
    'connectDevice',
    'stopDevice',
    'logoutDevice',
  ],
  documents: [
    ...everyPage,
    'uploadDocument',
    'listDocuments',
    'getDocument',
    'getDocumentContent',
    'renameDocument',
    'deleteDocument',
  ],
};

export const pagesOf = (operationId: string): PortalPage[] =>
  portalPages.filter((page) => operationsOfPages[page].includes(operationId));
