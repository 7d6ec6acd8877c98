/** A table of the database, without those of the job library. */
interface Table {
  /** The rooms that may read and write it. */
  rooms: readonly string[];
  /** What it is for and who writes it. */
  purpose: string;
}

const inRoom = (room: string, purposes: Readonly<Record<string, string>>): [string, Table][] =>
  Object.entries(purposes).map(([table, purpose]) => [table, { rooms: [room], purpose }]);

/** Every table with its owner. `npm run generate` writes the purposes into server/schema/tables. */
export const tables: ReadonlyMap<string, Table> = new Map([
  ...inRoom('chat', {
    alert_settings: 'What a person wants to hear of, and when. Without a row: mails about the own teams.',
    alerts: 'What waits for whom, and whether the person heard of it. A worker keeps it like what waits now.',
    push_keys: 'One row: the key pair by which push services know the deployment.',
    push_subscriptions: 'Browsers that show alerts, with their addresses and keys.',
    answers: 'How an answer came about. Answering writes it with the reply, in the same transaction.',
    bot_days:
      'Numbers over weeks: what the answers of a bot were on a day. Answering counts them. No contact, number or text of a contact.',
    bot_days_settled: 'Until when it is counted which answers of a team were resolved alone.',
    consents:
      'Whether a contact wants active messages of a team, for each form of the contact. Words of the contact and requests write it, POST /send and the outbox obey it. It survives erasure as a hash.',
    contacts:
      'What a team knows about a contact: names, labels, a note. The first message adds it, people and requests change it.',
    contact_addresses:
      "The addresses of a contact in a device's network: its number, an alias of it, an id that the network assigned. Inbound messages add them.",
    contact_merges:
      'A contact that turned out to be another one, whose conversation continues. Inbound messages add it.',
    conversations:
      'What a device and a contact say to each other; also the queue of answering. Inbound messages create it, workers claim it, people pause it.',
    message_media: 'Voice and images of messages, in the row or in the file store.',
    notes: 'What people of a team write to each other about a conversation. The contact never sees it.',
    opening_hours:
      'When people of a team are there, and what a contact who wants one hears at other times. Requests write them.',
    saved_replies: 'Texts that people of a team often send. Requests write them.',
    messages:
      'Every message in and out. Rows with status accepted are the outbox. Requests and answers insert them, the pool that owns the device sends them.',
    tool_calls:
      'The tool calls of an answer in progress, so that a retry continues after them. They end with the answer, or with the conversation.',
  }),
  ...inRoom('quality', {
    bot_cases: 'Conversations, and what must hold for the reply of a bot. Requests write them.',
    bot_gates: 'What a draft must pass before it is published.',
    bot_runs: 'Runs of cases and of questions that contacts asked. A worker answers them.',
    bot_run_results: 'The old and the new answer of each question of a run.',
  }),
  ...inRoom('devices', {
    message_templates:
      'What devices may send to contacts who have not written for 24 hours, as the network last reported it. Requests and the pool that owns the device write it.',
    device_links: 'The address at which a phone can be linked to a device without an API key.',
    network_inbox:
      'Events that networks push, stored before the response. The pool that owns the device reads them in order. Only the keys of done events stay.',
    devices:
      'The phones and websites that bots answer on. Requests write the wanted state, the pool that owns the device the state that the network reports.',
  }),
  // The role writes leases and sessions (pool/); requests read and end them (devices/).
  [
    'device_sessions',
    {
      rooms: ['pool', 'devices'],
      purpose:
        'The sealed credentials and keys of a linked device, as entries. Only the pool that owns the device writes them.',
    },
  ],
  [
    'pools',
    {
      rooms: ['pool', 'devices'],
      purpose: 'The running processes that host devices, each with a lease that it renews.',
    },
  ],
  ...inRoom('knowledge', {
    bot_actions: "The actions of a bot's draft.",
    bot_policies:
      'What a bot is for, and how it says that a machine answers. Of the draft; a version keeps its own.',
    bot_documents: "The documents of a bot's draft.",
    bot_version_documents: 'The documents of a published version.',
    bot_testers: 'Contacts who get the draft of a bot. Requests write them.',
    bot_versions: 'What a publish made of a draft. Rows never change.',
    bots: 'Bots with their drafts. live_version names the version that answers.',
    document_counts: 'The number of live documents by team and type. A trigger keeps it.',
    document_totals: 'The number of live documents of all teams by type, in 256 shards. A trigger keeps it.',
    documents: 'Uploaded documents, from the intent (uploading) to the deletion.',
    'embedded_provider.assistants': 'The assistants of bots that Parley itself answers for.',
    'embedded_provider.documents': 'The text of a document as the search has it.',
    'embedded_provider.knowledge_stores': 'Which documents a bot searches.',
    'embedded_provider.passage_vectors': 'The meaning of passages, if there is an embedding model.',
    'embedded_provider.passages': 'The pieces of documents that answers quote.',
    'embedded_provider.postings': 'Which passages contain a word.',
    'embedded_provider.revisions': 'What an assistant said at each publish. Rows never change.',
    knowledge_moves:
      'The teams whose documents move between the database and OpenAI. Until moved_at, theirs are all at the other place.',
    openai_attachments:
      'The files in the vector stores of bots. A row is written before the file is attached, and deleted after it was detached.',
    openai_objects:
      'What Parley keeps at OpenAI. A row is written before its object is created, so that an unconfirmed one is looked up by its tag.',
  }),
  ...inRoom('platform', {
    encryption_keys: 'The ids of the keys that the database needs.',
    idempotency_keys:
      'The answer to a request that carried an Idempotency-Key. While status is null, the request is in flight until claimed_until.',
    installation: 'One row: who this deployment is, and where its documents are.',
    job_runners:
      'The heartbeats of the processes that run jobs. What a silent one had locked goes to the others.',
    request_rates:
      "When each block of a key's requests was drawn, within the last minute. Unlogged: after a crash every key begins with its full rate.",
    schema_functions:
      'Which files of server/schema/functions this database has. The migrator writes it after the migrations.',
    schema_migrations: 'Which migrations this database has. The migrator writes it.',
  }),
  ...inRoom('records', {
    audit_log:
      'Who changed what. Triggers insert the rows, a job chains them by their hashes, and nobody changes them.',
    event_log:
      'One row: the incarnation of the event log. It changes on another server, where cursors of before mean nothing.',
    events:
      'What happened, for webhooks and streams. Triggers and statements insert rows in the transaction of the change.',
    tombstones:
      'Files and objects at providers whose deletion is still due. Written with the deletion of the row that named it; a job deletes both. A reader may expect marks of deleted rows: these are orders to delete.',
    webhook_deliveries: 'The queue of webhooks: which event goes to which receiver, and when next.',
    webhooks: 'The receivers of events.',
  }),
  ...inRoom('tenancy', {
    api_key_roles:
      'The roles of API keys that do not have all rights within their scope. Rows are written with the key.',
    brands: 'How the console and mails present themselves to a team. PUT /teams/{id}/brand writes them.',
    hosts: 'Host names that show the brand of a team before anybody signs in. PUT /hosts/{name} writes them.',
    api_keys: 'Keys of partners and teams, with the hash of their secret.',
    former_staff:
      'Who was removed from the staff of the partner, so that the identity provider does not bring them back.',
    memberships: 'Which person a user is. A user without a row has no way to sign in yet.',
    model_calls: 'The calls of language models that returned, and what they cost. Null is unknown, never 0.',
    address_proofs: 'Codes and links that prove an address when somebody sends them back. Each works once.',
    mail_rates: 'When mails were requested in the last hour, by team, by device and by hashed address.',
    mails: 'Invitations, codes and links that wait for the worker. A row ends when its mail was sent.',
    passkeys: 'Public keys of people, which sign them in at one host name each.',
    passkey_challenges: 'Random values that an authenticator has to sign, once.',
    person_identities: 'Who a person is at the identity provider.',
    monthly_message_prices:
      'What messaging networks reported about the prices of messages, by UTC calendar month. The first status with a price writes it.',
    monthly_model_usage: 'The sums of model_calls by UTC calendar month.',
    monthly_usage:
      'Active messages and credits that a team used in a UTC calendar month. The charge of a message writes it.',
    people: 'Those who can sign in, with the hash of their password. One person can be several users.',
    plans: 'The quotas that teams share.',
    second_factors: 'The secret of a person for codes of an app, and the hashes of recovery codes.',
    portal_links:
      'Addresses that open the console for one team once, and the sessions that began there. A session ends with the creator of its link.',
    sessions: 'Who is signed in, with the hash of the cookie.',
    sign_in_links:
      'Addresses that can be used once: to set up the deployment, to accept an invitation, to sign in. A newer one replaces an older one.',
    team_counts: 'The number of teams and of paying ones, in 256 shards. A trigger keeps it.',
    team_usage: 'What a team uses of its lasting quotas: bots, devices, documents, characters, members.',
    teams: 'The tenants.',
    users: "The members of teams with their roles, and the partner's staff, which has no team.",
  }),
]);
