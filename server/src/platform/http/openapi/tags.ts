/** The groups of operations, in the order of the reference page. */
export const tags = [
  {
    name: 'Access tokens',
    description: 'Exchange an API key for a bearer token that is valid for 24 hours.',
  },
  { name: 'API keys', description: 'Credentials of integrations, for all teams or for one.' },
  { name: 'Plans', description: 'The features, active messages and quotas of the teams on a plan.' },
  { name: 'Teams', description: 'Tenants, with their administrators, quotas, settings and usage.' },
  { name: 'Documents', description: 'Files that bots quote: pdf, txt, docx and doc.' },
  {
    name: 'Bots',
    description:
      'AI assistants with instructions, question/answer pairs, actions and documents. Devices use the published version; updates change the draft.',
  },
  {
    name: 'Devices',
    description:
      'Accounts of the messaging network. A person links one by scanning a QR code with the phone.',
  },
  { name: 'Pools', description: 'Processes that hold the connections of devices to the network.' },
  { name: 'Active messages', description: "Send messages that count against the month's quota of the team." },
  {
    name: 'Messages',
    description: 'Messages in both directions, their media, and how the bot found its answers.',
  },
  {
    name: 'Conversations',
    description: 'Chats of contacts with devices. A person can take over from the bot.',
  },
  { name: 'Contacts', description: 'Export or delete everything that is stored about a contact.' },
  { name: 'Events', description: 'The log of changes, as a list with a cursor or as a live stream.' },
  {
    name: 'Webhooks',
    description:
      'Parley posts events to your URLs, signed by the scheme of [Standard Webhooks](https://www.standardwebhooks.com).',
  },
  {
    name: 'Audit log',
    description:
      'Changes made over the API, with their callers. Texts and numbers of contacts appear as hashes.',
  },
];
