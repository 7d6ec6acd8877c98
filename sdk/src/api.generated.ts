// Generated from openapi.json by npm run generate.
import type { CallOptions, Pages, Upload } from './types.ts';

/** Made of `color`, so that all text keeps a contrast of 4.5:1. */
export type Accents = {
  /** The ground of buttons. */
  accent: string;
  /** Text on `accent`. */
  on_accent: string;
  text_on_light: string;
  text_on_dark: string;
};

export type AcceptInvitation = {
  token: string;
  /** At least 10 characters. Any characters will do. */
  password: string;
};

export type AccessToken = {
  /** A JWT. */
  access_token: string;
  token_type: "Bearer";
  /** Lifetime in seconds: 86400. */
  expires_in: number;
};

/** An action of a bot failed during an answer */
export type ActionFailedEvent = {
  id: string;
  type: "action.failed";
  created_at: string;
  team_id: string | null;
  data: {
    conversation_id: string;
    device_id: string;
    contact_number: string;
    action: string;
    status: number | null;
    error: string;
  };
};

export type ActiveMessagesDetails = {
  reason: "active_messages";
  quota: number;
  used: number;
  limit: number;
  /** The beginning of the next month in UTC. */
  resets_at: string;
};

export type Activity = {
  hours: ActivityHour[];
};

export type ActivityHour = {
  /** When the hour began. */
  hour: string;
  /** Messages of contacts. */
  received: number;
  /** Messages of bots. */
  answers: number;
  /** Messages of people and of the API. */
  others: number;
};

export type AddPushSubscription = {
  endpoint: string;
  keys: {
    /** The public key of the browser. */
    p256dh: string;
    /** Its secret. */
    auth: string;
  };
};

export type AlertSettings = {
  mail_after_minutes: number | null;
  /** Messages of the browser, on each device that was added. */
  push: boolean;
  /** Also when a phone has lost its connection for a minute. */
  devices: boolean;
  quiet_hours: {
    from: string;
    until: string;
    timezone: string;
  } | null;
  team_ids: string[] | null;
  /** The deployment can send mail. */
  mail_possible: boolean;
  /** The key with which a browser subscribes. */
  push_key: string;
  /** Browsers that were added. */
  push_devices: number;
};

export type Analytics = {
  /** A day like 2026-12-24. */
  since: string;
  until: string;
  by: "day" | "week" | "month";
  /** Of the team. Its days begin at midnight there. */
  timezone: string;
  resolved_until: string | null;
  sum: AnalyticsNumbers;
  /** Oldest first, also those without questions. */
  periods: AnalyticsPeriod[];
  /** The 20 with most questions. */
  topics: AnalyticsTopic[];
  /** The 20 with most questions. */
  languages: AnalyticsLanguage[];
};

export type AnalyticsLanguage = {
  /** Such as `en`. */
  language: string;
  /** Questions that the bot replied to. Messages that arrive together are one question. */
  questions: number;
  /** The bot knew an answer. */
  answered: number;
  /** The bot asked the contact to say more. */
  asked_back: number;
  /** The bot said that it does not know. */
  declined: number;
  /** The bot handed over to a person. */
  handed_over: number;
};

export type AnalyticsNumbers = {
  /** Questions that the bot replied to. Messages that arrive together are one question. */
  questions: number;
  /** The bot knew an answer. */
  answered: number;
  /** The bot asked the contact to say more. */
  asked_back: number;
  /** The bot said that it does not know. */
  declined: number;
  /** The bot handed over to a person. */
  handed_over: number;
  /** Answered, and within 24 hours no person wrote and the contact did not ask about the same again. It is counted 24 hours later: see `resolved_until`. */
  resolved_alone: number;
  /** Of contacts and of people of the team. */
  thumbs_up: number;
  thumbs_down: number;
  response_ms: number | null;
  credits: number;
  cost: number | null;
};

export type AnalyticsPeriod = {
  /** The first day of the period. */
  start: string;
  /** Questions that the bot replied to. Messages that arrive together are one question. */
  questions: number;
  /** The bot knew an answer. */
  answered: number;
  /** The bot asked the contact to say more. */
  asked_back: number;
  /** The bot said that it does not know. */
  declined: number;
  /** The bot handed over to a person. */
  handed_over: number;
  /** Answered, and within 24 hours no person wrote and the contact did not ask about the same again. It is counted 24 hours later: see `resolved_until`. */
  resolved_alone: number;
  /** Of contacts and of people of the team. */
  thumbs_up: number;
  thumbs_down: number;
  response_ms: number | null;
  credits: number;
  cost: number | null;
};

export type AnalyticsTopic = {
  /** The pair, the heading, the document or the action that the answers are from. */
  name: string;
  /** Questions that the bot replied to. Messages that arrive together are one question. */
  questions: number;
  /** The bot knew an answer. */
  answered: number;
  /** The bot asked the contact to say more. */
  asked_back: number;
  /** The bot said that it does not know. */
  declined: number;
  /** The bot handed over to a person. */
  handed_over: number;
};

export type ApiKey = {
  key_id: string;
  name: string;
  /** A key of scope `team` (an extension) can access one team only. */
  scope: "global" | "team";
  /** The team that a key of scope `team` can access. */
  team_id?: string | undefined;
  /** Of the partner (`owner`, `admin`, `support`) for scope `global`, of the team (`owner`, `editor`, `agent`, `viewer`) for scope `team`. Absent: all rights within the scope. */
  role?: "support" | "admin" | "owner" | "viewer" | "agent" | "editor" | undefined;
  is_active: boolean;
  expires_at: string | null;
  last_used: string | null;
  created_at: string;
};

export type AskBot = {
  question: string;
  /** The published version or the current draft. */
  version?: "draft" | "published" | undefined;
  /** Earlier messages, oldest first. */
  history?: EarlierMessage[] | undefined;
};

export type AssignConversation = {
  user_id?: string | null | undefined;
  /** Instead of `user_id`: the member of the team with a request in the last 10 minutes who was given a conversation longest ago. */
  in_turn?: true | undefined;
};

/** Who takes care of the conversation. Absent: nobody. */
export type Assignee = {
  user_id: string;
  name: string;
};

export type Attention = {
  /** The sum of the counts. */
  total: number;
  /** The kinds with at least one item, the most urgent first. */
  kinds: AttentionOfKind[];
};

export type AttentionItem = {
  /** Of the conversation, device, bot, webhook, document or pool. Other kinds have a stable text. */
  id: string;
  team_id: string | null;
  team_name: string | null;
  /** The number of the contact, or the name or URL of the object. */
  name: string;
  reason: string | null;
  since: string | null;
  /** Of a quota. */
  used?: number | undefined;
  /** Of a quota. */
  limit?: number | undefined;
};

export type AttentionOfKind = {
  kind: "human_requested" | "unanswered" | "payment_captured" | "automated_contact" | "device" | "bot" | "webhook" | "document" | "quota" | "provider" | "pool" | "disk";
  count: number;
  /** The first ones: those that have waited longest, and the fullest quotas. */
  items: AttentionItem[];
};

/** One changed object. `before` and `after` hold the fields that differ. Secrets are masked, texts and numbers of contacts are keyed hashes, and long values are replaced by their SHA-256. */
export type AuditEntry = {
  id: string;
  at: string;
  key_id: string | null;
  user_id: string | null;
  user_name: string | null;
  request_id: string | null;
  address: string | null;
  /** The `operationId` in this document. */
  operation: string;
  object_type: string;
  object_id: string | null;
  team_id: string | null;
  before: {
    [name: string]: unknown;
  } | null;
  after: {
    [name: string]: unknown;
  } | null;
};

export type Author = {
  /** The id of the key, or `user:` and the id of the user. */
  id: string;
  name: string;
};

export type Bot = {
  id: string;
  team_id: string;
  name: string;
  role: string;
  description: string;
  ai_provider_id: string;
  vector_id: string;
  instructions: string;
  temperature: number;
  published: boolean;
  allow_human: boolean;
  created_at: string;
  updated_at: string;
  identification_name: string;
  use_audio_responses: boolean;
  allow_user_audio_requests: boolean;
  capture_payments: boolean;
  break_lines: boolean;
  chat_model_level: number;
  /** The version that answers contacts. Null before the first publication. */
  live_version: number | null;
};

export type BotAction = {
  id: string;
  name: string;
  description: string;
  endpoint: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers: {
    key: string;
    value: string;
    /** All headers, if there are several. */
    all?: ({
      key: string;
      value: string;
    })[] | undefined;
  };
  body: ({
    key: string;
    value: string;
    type: "string" | "number" | "boolean";
  })[];
  /** Absent if no value is described. */
  parameters?: ({
    name: string;
    description: string;
    required: boolean;
  })[] | undefined;
  /** True if calls are signed. Otherwise absent. */
  signed?: boolean | undefined;
};

export type BotActionBodyItemInput = {
  key: string;
  /** If empty, the AI fills it as a parameter named like the key. A number is sent unchanged. */
  value: string;
  /** Defaults to string for a new item. */
  type?: "string" | "number" | "boolean" | undefined;
};

export type BotActionHeaderInput = {
  key: string;
  value: string;
};

/** One header as `{key, value}`, a map of names to values, or the form that get returns. `key` or `value` alone is a header of that name. Values are encrypted at rest and sent in UTF-8. The AI fills `{{name}}` in them. They may contain no control characters except the tab. These headers may not be set: Host, Content-Length, Transfer-Encoding, Connection, Keep-Alive, Upgrade, TE, Trailer, Expect, Proxy-*. Parley replaces an Accept-Encoding that allows more than gzip, deflate, br and identity. */
export type BotActionHeadersInput = {
  all?: BotActionHeaderInput[] | undefined;
  [name: string]: string | BotActionHeaderInput[] | undefined;
};

export type BotActionInput = {
  /** With a known id, the action is updated and keeps omitted fields. Otherwise a new action gets this id. */
  id?: string | undefined;
  name: string;
  description?: string | undefined;
  /** An http(s) URL. The AI fills `{{name}}`, which may not be in the scheme or host. A call is refused if it fills a path segment that is empty or only dots after decoding, or contains `/` or `\`. */
  endpoint: string;
  /** Defaults to GET for a new action. */
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | undefined;
  headers?: BotActionHeadersInput | undefined;
  /** With GET, the items are sent in the query string. */
  body?: BotActionBodyItemInput[] | undefined;
  /** Describes values that the AI fills in. Values that are not listed are required. */
  parameters?: BotActionParameterInput[] | undefined;
  /** Signs the calls, with the number of the contact and the id of the conversation: HMAC-SHA256 in the headers of Standard Webhooks (docs/signed-actions.md). The secret is `whsec_` and base64 of 24 to 64 bytes. It is encrypted at rest and never returned. */
  signing_secret?: string | undefined;
  /** False removes the signing secret. True requires one, stored or in `signing_secret`. */
  signed?: boolean | undefined;
};

export type BotActionParameterInput = {
  /** The name of a placeholder, or the key of a body item without a value. */
  name: string;
  /** Describes the value for the AI, which fills it in. */
  description?: string | undefined;
  /** Default: true. The AI may leave a value out that is not required. Then the body item is not sent, and a placeholder is empty. */
  required?: boolean | undefined;
};

export type BotAnswer = {
  /** In the notation of the network, as a contact would get it. */
  answer: string;
  /** False when the bot does not know the answer. */
  answered: boolean;
  trace: {
    pair?: {
      question: string;
      score: number;
    } | undefined;
    passages: ({
      /** Absent when the document has been deleted. */
      document_id?: string | undefined;
      /** The document's name. */
      document?: string | undefined;
      page?: number | undefined;
      heading?: string | undefined;
      quote: string;
      score: number;
    })[];
    actions: ({
      name: string;
      arguments: Record<string, string | number | boolean>;
      /** HTTP status. Absent when there was no response. */
      status?: number | undefined;
      ms: number;
      /** Absent when the call succeeded. */
      error?: string | undefined;
      /** The text for the model: the response, or the error. */
      result: string;
    })[];
    /** True if the model reached its limit of tokens. The answer then ends at its last whole sentence, or with an ellipsis. Else absent. */
    shortened?: boolean | undefined;
    /** True if a model said that the question is outside the purpose of the bot. Else absent. */
    off_topic?: boolean | undefined;
    usage: {
      /** Null if the provider does not report it. */
      input_tokens: number | null;
      /** Null if the provider does not report it. */
      output_tokens: number | null;
      credits: number;
      /** In the currency of `MODEL_PRICES`. Null if it is unknown. */
      cost: number | null;
    };
    /** Duration of the answer in milliseconds. */
    elapsed_ms: number;
  };
};

export type BotDetail = {
  id: string;
  team_id: string;
  name: string;
  role: string;
  description: string;
  ai_provider_id: string;
  vector_id: string;
  instructions: string;
  temperature: number;
  published: boolean;
  allow_human: boolean;
  created_at: string;
  updated_at: string;
  identification_name: string;
  use_audio_responses: boolean;
  allow_user_audio_requests: boolean;
  capture_payments: boolean;
  break_lines: boolean;
  chat_model_level: number;
  /** The version that answers contacts. Null before the first publication. */
  live_version: number | null;
  questions: ({
    question: string;
    answer: string;
  })[];
  actions: BotAction[];
  documents: ({
    document_id: string;
    bot_id: string;
  })[];
  /** Absent if the bot has none. */
  purpose?: string | undefined;
  disclosure?: Disclosure | undefined;
  /** Absent if the bot has the default, 720. */
  answer_max_age_minutes?: number | undefined;
};

export type BotGate = {
  gate: Gate | null;
  updated_at: string | null;
};

export type BotLinkedDetails = {
  reason: "bot_linked";
  device_ids: string[];
};

/** Publishing a bot failed and the previous version stays live */
export type BotPublishFailedEvent = {
  id: string;
  type: "bot.publish_failed";
  created_at: string;
  team_id: string | null;
  data: {
    bot_id: string;
    name: string;
    reason: string;
  };
};

/** A version of a bot went live */
export type BotPublishedEvent = {
  id: string;
  type: "bot.published";
  created_at: string;
  team_id: string | null;
  data: {
    bot_id: string;
    name: string;
    version: number;
  };
};

export type BotQuestionInput = {
  question: string;
  answer: string;
};

export type BotVersion = {
  version: number;
  /** Whether devices answer with this version. */
  live: boolean;
  name: string;
  /** Number of question/answer pairs. */
  questions: number;
  /** Number of actions. */
  actions: number;
  /** Documents of this version that still exist. */
  document_ids: string[];
  published_at: string;
};

export type BotVersionDetail = {
  version: number;
  /** Whether devices answer with this version. */
  live: boolean;
  name: string;
  /** Documents of this version that still exist. */
  document_ids: string[];
  published_at: string;
  role: string;
  description: string;
  instructions: string;
  temperature: number;
  allow_human: boolean;
  identification_name: string;
  use_audio_responses: boolean;
  allow_user_audio_requests: boolean;
  capture_payments: boolean;
  break_lines: boolean;
  chat_model_level: number;
  questions: ({
    question: string;
    answer: string;
  })[];
  actions: BotAction[];
  /** Absent if the bot has none. */
  purpose?: string | undefined;
  disclosure?: Disclosure | undefined;
  /** Absent if the bot has the default, 720. */
  answer_max_age_minutes?: number | undefined;
};

export type Brand = {
  name: string | null;
  color: string | null;
  logo: string | null;
  sender_name: string | null;
  accents: Accents | null;
  updated_at: string | null;
};

/** A contact called, and nobody accepted the call */
export type CallMissedEvent = {
  id: string;
  type: "call.missed";
  created_at: string;
  team_id: string | null;
  data: {
    message_id: string;
    conversation_id: string;
    device_id: string;
    contact_number: string;
    video: boolean;
  };
};

/** What the network of the device can do. */
export type Capabilities = {
  /** The kinds of messages that the device can send. */
  content: string[];
  /** Whether the device may write to contacts who have not written to it: `free` with any text, `template` only with a template unless the contact wrote within 24 hours, or `never`. */
  initiates: "free" | "template" | "never";
  /** Whether the account and its contacts have phone numbers. */
  phone_numbers: boolean;
  /** Whether `pairing_phone_number` can replace the QR code. */
  pairing_codes: boolean;
  /** Whether the device connects with `PUT /devices/{id}/credentials` instead of a code. */
  credentials: boolean;
};

export type Case = {
  id: string;
  bot_id: string;
  name: string;
  /** Oldest first. The bot replies to the last ones of the contact. */
  messages: CaseMessage[];
  /** What must hold for the reply. */
  checks: Check[];
  /** Whether a request wrote it, it was made from a message, a CSV contained it, or Parley proposed it. */
  origin: "manual" | "message" | "csv" | "proposed";
  /** Runs leave out cases that are not. */
  enabled: boolean;
  created_at: string;
  updated_at: string;
};

export type CaseMessage = {
  role: "contact" | "assistant";
  text: string;
};

export type ChangePassword = {
  /** At least 10 characters. Any characters will do. */
  password: string;
  current_password?: string | undefined;
};

export type ChangedMeanwhileDetails = {
  reason: "changed_meanwhile";
  /** When the object last changed. Null: it does not exist. */
  updated_at: string | null;
  /** The members of the request whose values differ from the present ones. */
  differences: ({
    path: string;
    yours: unknown;
    current: unknown;
  })[];
};

export type Check = {
  kind: "contains" | "lacks" | "cites_pair" | "cites_document" | "calls_action" | "calls_none" | "hands_over" | "silent" | "asks_back" | "language" | "max_cost" | "max_ms" | "judge";
  /** For `contains` and `lacks`: words of the answer. Case and punctuation do not count. */
  text?: string | undefined;
  /** For `cites_pair`: that of the pair. */
  question?: string | undefined;
  /** For `cites_document`. */
  document_id?: string | undefined;
  name?: string | undefined;
  /** For `calls_action`: those that must have these values. Others may have any. */
  arguments?: Record<string, string | number | boolean> | undefined;
  language?: string | undefined;
  /** For `max_cost`, in the currency of `MODEL_PRICES`, and for `max_ms`. */
  value?: number | undefined;
  /** For `judge`: what a language model must find in the answer. It warns only. */
  criterion?: string | undefined;
};

/** Options for the contact: up to three short ones are buttons, more are a list. Networks without buttons get them as lines of the text. */
export type Choices = {
  options: ({
    title: string;
    /** Comes back as `details.choice` of the answer. Default: the title. */
    id?: string | undefined;
    description?: string | undefined;
  })[];
  /** Opens a list of options. Default: `…`. */
  button?: string | undefined;
};

export type CodeRequest = {
  /** Send it with the code. */
  request_id: string;
  /** The end of the code. */
  expires_at: string;
};

export type Compliance = {
  team_id: string;
  team_name: string;
  since: string;
  until: string;
  disclosure: {
    mode: "first_reply" | "every_conversation" | "off";
    reason: string | null;
    set_by: "team" | "deployment";
  };
  /** Answers of bots in the time. */
  answers: number;
  conversations: {
    /** With an answer in the time. */
    answered: number;
    /** Of these, those in which an answer carried the notice that a machine answers. */
    noticed: number;
    /** How often the bot stopped answering a machine. */
    automated: number;
  };
  opt_outs: {
    /** Contacts who want no active messages now. */
    now: number;
    /** In the time. */
    added: number;
    /** In the time. */
    undone: number;
  };
  people: {
    /** How often a contact asked for a person. */
    requested: number;
    /** How often a person took a conversation over. */
    took_over: number;
  };
  /** The bots with answers in the time. */
  bots: ({
    id: string;
    name: string;
    purpose: string | null;
    disclosure_mode: "first_reply" | "every_conversation" | "off" | null;
    answers: number;
    /** Questions that a model refused, because they are outside the purpose of the bot. */
    off_topic: number;
  })[];
  /** Counts of an earlier time are not complete. */
  retention_days: number;
  /** Erased contacts of this team, in the time. */
  erasures: number;
  /** Exports of the data of a contact of this team, in the time. */
  exports: number;
  /** Who gets data, according to the running configuration and the objects of the team. */
  recipients: Recipient[];
  storage: {
    /** `embedded`: on the machine of Parley. `external`: see the recipient `database`. */
    database: "embedded" | "external";
    /** `local`: on the disk of Parley. `s3`: see the recipient `files`. */
    files: "local" | "s3";
    /** `provider`: the provider of the model also keeps the texts of documents. */
    documents: "database" | "provider";
  };
};

export type ConfirmSecondFactor = {
  code: string;
};

export type ConnectDevice = {
  /** Links this phone with a code that its owner enters on it, instead of a QR code. Only if `capabilities.pairing_codes` of the device is true. */
  pairing_phone_number?: string | undefined;
};

export type ConnectLink = {
  token: string;
  /** Links this phone with a code that its owner enters on it, if `pairing` is true. */
  pairing_phone_number?: string | undefined;
};

export type ConnectionStatus = {
  device_id: string;
  connected: boolean;
  /** Whether credentials of a linked phone are stored. */
  logged_in: boolean;
  status: "stopped" | "started";
  /** PNG as a base64 data URI. Present while the device is started and no phone is linked. */
  qr_code?: string | undefined;
  /** The code to enter on the phone. Present instead of `qr_code` if the device was connected with `pairing_phone_number`. */
  pairing_code?: string | undefined;
  phone_number: string | null;
  message: string;
  last_disconnect_reason: string | null;
  last_disconnect_at: string | null;
  /** Limits that the network imposes on the account at present. */
  restrictions: Restriction[];
};

export type Consent = {
  team_id: string;
  kind: "active_messages";
  /** `out`: the contact gets no active messages. `in`: the contact agreed to them. `unknown`: nobody decided. */
  state: "in" | "out" | "unknown";
  source: "contact" | "api" | "console" | "import" | null;
  decided_at: string | null;
  proof: string | null;
};

export type Contact = {
  team_id: string;
  /** International format, or an id with the scheme of the network while the number is unknown: `lid:`, `bsuid:`, `tg:` or `web:`. */
  contact_number: string;
  name: string | null;
  /** What the team keeps about the contact, such as `{"birthday": "3 May"}`: at most 50 fields with names of 1 to 60 characters. */
  fields: Record<string, string>;
  labels: string[];
  note: string;
  /** Messages of the contact are stored. The bot does not answer them. */
  blocked: boolean;
  network_name: string | null;
  created_at: string | null;
  updated_at: string | null;
};

/** A contact seems to be a machine, and the bot stopped to answer it */
export type ContactAutomatedEvent = {
  id: string;
  type: "contact.automated";
  created_at: string;
  team_id: string | null;
  data: {
    conversation_id: string;
    device_id: string;
    contact_number: string;
  };
};

export type ContactExport = {
  contact_number: string;
  /** False if there are more than 10,000 messages or answers, or more than 32 MiB of media, of texts or of traces. */
  complete: boolean;
  /** What each team knows about the contact. */
  known: ({
    team_id: string;
    contact_number: string;
    name: string | null;
    network_name: string | null;
    fields: Record<string, string>;
    labels: string[];
    note: string;
    blocked: boolean;
  })[];
  /** What the people of the team wrote to each other. */
  notes: ({
    id: string;
    conversation_id: string;
    author_name: string;
    text: string;
    created_at: string;
  })[];
  /** The bots whose draft the contact gets. */
  tester_of: string[];
  consents: ({
    team_id: string;
    /** The form of the contact. */
    contact: string;
    kind: string;
    state: string;
    source: string;
    proof: string | null;
    decided_at: string;
  })[];
  conversations: ({
    labels: string[];
    id: string;
    team_id: string;
    device_id: string;
    state: string;
    flag: string | null;
    last_message_at: string;
    created_at: string;
  })[];
  messages: ({
    id: string;
    team_id: string;
    device_id: string;
    direction: "in" | "out";
    origin: string;
    kind: string;
    text: string;
    status: string;
    details?: MessageDetails | undefined;
    sent_at: string | null;
    created_at: string;
    media: ({
      kind: string;
      mime_type: string;
      /** In bytes. */
      size: number;
      content: string | null;
    })[];
  })[];
  answers: ({
    id: string;
    bot_id: string;
    answered: boolean;
    rating: "up" | "down" | null;
    contact_rating: "up" | "down" | null;
    trace: {
      [name: string]: unknown;
    };
    created_at: string;
  })[];
};

/** A contact who wanted no active messages wants them again */
export type ContactOptedInEvent = {
  id: string;
  type: "contact.opted_in";
  created_at: string;
  team_id: string | null;
  data: {
    contact_number: string;
    kind: "active_messages";
    /** Who decided. */
    source: "contact" | "api" | "console" | "import";
  };
};

/** A contact wants no more active messages */
export type ContactOptedOutEvent = {
  id: string;
  type: "contact.opted_out";
  created_at: string;
  team_id: string | null;
  data: {
    contact_number: string;
    kind: "active_messages";
    /** Who decided. */
    source: "contact" | "api" | "console" | "import";
  };
};

export type ContactScope = {
  /** Only in this team. Default: all teams that the key may see. */
  team_id?: string | undefined;
};

export type Conversation = {
  id: string;
  team_id: string;
  device_id: string;
  /** International format, or an id with the scheme of the network while the number is unknown: `lid:`, `bsuid:`, `tg:` or `web:`. */
  contact_number: string;
  contact: ConversationContact;
  /** `paused`: a person has taken over and the bot does not answer. `closed`: a person has finished with it. The next message opens it, and the bot answers. */
  state: "bot" | "paused" | "closed";
  /** Absent when the pause has no end. */
  paused_until?: string | undefined;
  /** Why a person should look at the conversation. */
  flag?: "human_requested" | "out_of_credits" | "payment_captured" | "provider_failed" | "automated_contact" | "bot_not_published" | undefined;
  /** With the flag `provider_failed`: `auth`, `invalid_config`, `quota_exhausted`, `rate_limited`, `transient`, `refused`, `rejected` or `not_found`. */
  flag_reason?: string | undefined;
  /** Until when the network takes every message to the contact: 24 hours after the contact last wrote. Later, it takes only templates. Absent on networks without such a window. */
  window_open_until?: string | undefined;
  /** When the contact or a person of the team last wrote. Replies of the bot and active messages do not change it. */
  last_message_at: string;
  last_message?: LastMessage | undefined;
  /** Messages of the contact since a person last read the conversation or wrote in it. At most 99 messages are counted. */
  unread: number;
  assignee?: Assignee | undefined;
  labels: string[];
  team_name: string;
  device_name: string | null;
  created_at: string;
};

export type ConversationContact = {
  name: string | null;
  labels: string[];
  blocked: boolean;
  number: string | null;
  /** The contact's addresses in the network: numbers, aliases and ids. Empty if not needed. */
  addresses: string[];
  /** Contacts that turned out to be this one. Their messages moved here. */
  merged: ({
    contact_number: string;
    merged_at: string;
  })[];
};

/** A contact asked for a person */
export type ConversationHumanRequestedEvent = {
  id: string;
  type: "conversation.human_requested";
  created_at: string;
  team_id: string | null;
  data: {
    conversation_id: string;
    device_id: string;
    contact_number: string;
  };
};

/** A person took over and the bot does not answer */
export type ConversationPausedEvent = {
  id: string;
  type: "conversation.paused";
  created_at: string;
  team_id: string | null;
  data: {
    conversation_id: string;
    device_id: string;
    contact_number: string;
    paused_until: string | null;
  };
};

/** The bot answers again */
export type ConversationResumedEvent = {
  id: string;
  type: "conversation.resumed";
  created_at: string;
  team_id: string | null;
  data: {
    conversation_id: string;
    device_id: string;
    contact_number: string;
  };
};

/** A colleague writes in a conversation, or did in the last seconds */
export type ConversationTypingEvent = {
  id: string;
  type: "conversation.typing";
  created_at: string;
  team_id: string | null;
  data: {
    conversation_id: string;
    author: {
      /** As in `author` of a note. */
      id: string;
      name: string;
    };
  };
};

/** The bot found no answer to a question */
export type ConversationUnansweredEvent = {
  id: string;
  type: "conversation.unanswered";
  created_at: string;
  team_id: string | null;
  data: {
    conversation_id: string | null;
    device_id: string;
    contact_number: string;
    bot_id: string;
    answer_id: string;
  };
};

export type CreateAccessToken = {
  /** Id of an API key. */
  key_id: string;
  /** The secret that was shown when the key was created. */
  key_secret: string;
};

export type CreateApiKey = {
  name: string;
  /** A time in the future. Absent: the key does not expire. */
  expires_at?: string | undefined;
  /** A key of scope `team` (an extension) can access one team only. */
  scope?: "global" | "team" | undefined;
  /** Required with scope `team`. */
  team_id?: string | undefined;
  /** Of the partner (`owner`, `admin`, `support`) for scope `global`, of the team (`owner`, `editor`, `agent`, `viewer`) for scope `team`. Absent: all rights within the scope. */
  role?: "support" | "admin" | "owner" | "viewer" | "agent" | "editor" | undefined;
};

export type CreateBot = {
  name: string;
  description?: string | undefined;
  instructions?: string | undefined;
  temperature?: number | undefined;
  /** The name that the bot uses for itself. If empty, it uses `name`. */
  identification_name?: string | undefined;
  questions?: BotQuestionInput[] | undefined;
  document_ids?: string[] | undefined;
  allow_human?: boolean | undefined;
  actions?: BotActionInput[] | undefined;
  use_audio_responses?: boolean | undefined;
  allow_user_audio_requests?: boolean | undefined;
  capture_payments?: boolean | undefined;
  break_lines?: boolean | undefined;
  chat_model_level?: number | undefined;
  purpose?: string | null | undefined;
  /** How contacts of this bot learn that a machine answers, instead of the setting of the team. */
  disclosure?: Disclosure | null | undefined;
  answer_max_age_minutes?: number | null | undefined;
  team_id: string;
  /** Defaults to `assistant`. */
  role?: string | undefined;
};

export type CreateCase = {
  name?: string | undefined;
  /** Oldest first. The bot replies to the last ones of the contact. */
  messages?: CaseMessage[] | undefined;
  /** What must hold for the reply. */
  checks?: Check[] | undefined;
  /** Instead of `messages`: a message of a contact, or an answer of the bot. The case gets the conversation up to the question, and without `checks` those that the answer passed. */
  message_id?: string | undefined;
  /** Runs leave out cases that are not. */
  enabled?: boolean | undefined;
};

export type CreateDevice = {
  team_id: string;
  bot_id: string;
  name: string;
  /** One of the networks that the deployment enables with `MESSAGING_NETWORK`. Default: the first of them. */
  network?: "simulator" | "whatsapp" | "whatsapp_cloud" | "telegram" | "web" | undefined;
};

export type CreateDeviceLink = {
  /** In seconds. */
  expires_in?: number | undefined;
  /** Mails the address to this person, in the language of the team. If the mail cannot be sent, the earlier address stays valid. */
  email?: string | undefined;
};

export type CreateNote = {
  text: string;
};

export type CreatePortalLink = {
  /** The team that the console shows. */
  team_id: string;
  /** At most the role of the caller. */
  role: "viewer" | "agent" | "editor";
  /** Absent: all. */
  pages?: ("home" | "conversations" | "bot" | "phones" | "documents")[] | undefined;
  /** Until the address must be opened, in seconds. */
  expires_in?: number | undefined;
};

export type CreateRun = {
  /** `draft` if absent. */
  version?: "draft" | "published" | undefined;
  baseline?: "published" | null | undefined;
  /** `cases`: the enabled cases. `recent`: the newest questions that contacts asked, with the answers that they got. */
  sources?: ("cases" | "recent")[] | undefined;
  /** For `recent`: how many. 50 if absent. */
  recent_count?: number | undefined;
};

export type CreateTeam = {
  user: NewUser;
  team: NewTeam;
};

export type CreateTeamMember = {
  name: string;
  email: string;
  phone?: string | undefined;
  role: "viewer" | "agent" | "editor" | "owner";
};

export type CreateTemplate = {
  name: string;
  language: string;
  category: "utility" | "marketing";
  /** Variables are `{{1}}`, `{{2}}` and so on, not at the beginning or the end. */
  body: string;
  /** A value for each variable, for the reviewers. */
  examples?: string[] | undefined;
  footer?: string | undefined;
};

export type CreateUser = {
  name: string;
  email: string;
  phone?: string | undefined;
  role: "support" | "admin" | "owner";
};

export type CreateWebhook = {
  team_id?: string | null | undefined;
  /** An http or https URL. Private hosts need `WEBHOOK_ALLOWED_HOSTS`. */
  url: string;
  /** The types to deliver, or only `*` for all. */
  events: ("*" | "device.connected" | "device.disconnected" | "device.qr" | "device.restricted" | "device.logged_out" | "message.received" | "call.missed" | "message.sent" | "message.delivered" | "message.read" | "message.failed" | "conversation.paused" | "conversation.resumed" | "conversation.human_requested" | "conversation.unanswered" | "contact.opted_out" | "contact.opted_in" | "contact.automated" | "bot.published" | "bot.publish_failed" | "run.finished" | "action.failed" | "document.ready" | "document.failed" | "template.updated" | "payment.captured" | "team.created" | "team.updated" | "team.deleted" | "quota.warning" | "quota.reached" | "credits.exhausted" | "webhook.disabled")[];
  /** A note for people. */
  description?: string | undefined;
  enabled?: boolean | undefined;
  /** Whether events of one conversation wait until the earlier ones are delivered or have failed. */
  ordered?: boolean | undefined;
  /** Whether deliveries carry only the ids in `data`, and neither texts nor numbers of contacts. */
  thin?: boolean | undefined;
};

export type CreatedMember = {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  created_at: string;
  role: "viewer" | "agent" | "editor" | "owner";
  /** `invited`: the person cannot sign in yet. */
  state: "invited" | "active";
  last_seen_at: string | null;
  /** Whether visitors of a website see a picture of the person. */
  has_picture: boolean;
  /** Give it to the person. It works once, for 7 days. */
  invitation_url: string;
  /** The end of the link. */
  expires_at: string;
  /** The person also gets the link by e-mail. False without a mail server, and after 20 mails in an hour for the team or the address: then hand the link over. */
  mailed: boolean;
};

export type CreatedStaffMember = {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  created_at: string;
  role: "support" | "admin" | "owner";
  /** `invited`: the person cannot sign in yet. */
  state: "invited" | "active";
  last_seen_at: string | null;
  /** Whether visitors of a website see a picture of the person. */
  has_picture: boolean;
  /** Give it to the person. It works once, for 7 days. */
  invitation_url: string;
  /** The end of the link. */
  expires_at: string;
  /** The person also gets the link by e-mail. False without a mail server, and after 20 mails in an hour for the team or the address: then hand the link over. */
  mailed: boolean;
};

export type CreatedWebhook = {
  id: string;
  team_id: string | null;
  /** An http or https URL. Private hosts need `WEBHOOK_ALLOWED_HOSTS`. */
  url: string;
  /** The types to deliver, or only `*` for all. */
  events: ("*" | "device.connected" | "device.disconnected" | "device.qr" | "device.restricted" | "device.logged_out" | "message.received" | "call.missed" | "message.sent" | "message.delivered" | "message.read" | "message.failed" | "conversation.paused" | "conversation.resumed" | "conversation.human_requested" | "conversation.unanswered" | "contact.opted_out" | "contact.opted_in" | "contact.automated" | "bot.published" | "bot.publish_failed" | "run.finished" | "action.failed" | "document.ready" | "document.failed" | "template.updated" | "payment.captured" | "team.created" | "team.updated" | "team.deleted" | "quota.warning" | "quota.reached" | "credits.exhausted" | "webhook.disabled")[];
  /** A note for people. */
  description: string;
  enabled: boolean;
  /** Whether events of one conversation wait until the earlier ones are delivered or have failed. */
  ordered: boolean;
  /** Whether deliveries carry only the ids in `data`, and neither texts nor numbers of contacts. */
  thin: boolean;
  disabled_reason: "gone" | "failing" | null;
  disabled_at: string | null;
  failing_since: string | null;
  created_at: string;
  updated_at: string;
  /** Verifies the signatures, with any library of Standard Webhooks. It is shown once; keep it safe. */
  secret: string;
};

/** All members of the network of the device, and no others. They are never returned. */
export type Credentials = {
  /** `whatsapp_cloud`: the id of the phone number, in digits. */
  phone_number_id?: string | undefined;
  /** `whatsapp_cloud`: the id of the WhatsApp Business account, in digits. */
  waba_id?: string | undefined;
  /** `whatsapp_cloud`: a token of a system user that does not expire. */
  access_token?: string | undefined;
  /** `whatsapp_cloud`: the secret of the app, with which the network signs what it pushes. */
  app_secret?: string | undefined;
  /** `telegram`: the token of the bot, as BotFather shows it. */
  bot_token?: string | undefined;
};

/** The team's credits do not suffice for an answer, so conversations wait */
export type CreditsExhaustedEvent = {
  id: string;
  type: "credits.exhausted";
  created_at: string;
  team_id: string | null;
  data: Record<string, unknown>;
};

/** An approved template whose only variable is the text. `POST /send` uses it for a contact who has not written for 24 hours. */
export type DefaultTemplate = {
  name: string;
  language: string;
};

export type DeleteSecondFactor = {
  password?: string | undefined;
  /** For a person with a second factor: a code of the authenticator app, or a recovery code. Each works once. */
  second_factor?: string | undefined;
};

export type Device = {
  id: string;
  team_id: string;
  bot_id: string;
  name: string;
  status: "stopped" | "started";
  type: "messaging";
  connected: boolean;
  blocked: boolean;
  /** The messaging network of the device. */
  network: "simulator" | "whatsapp" | "whatsapp_cloud" | "telegram" | "web";
  capabilities: Capabilities;
  web_chat: WebChat | null;
  webhook_url: string | null;
  phone_number: string | null;
  /** Token for the routes of this device on its pool's interface. */
  token: string;
  pool_url: string;
  default_template?: DefaultTemplate | undefined;
  /** Absent if calls get no reply. */
  missed_call_reply?: string | undefined;
  last_disconnect_reason: string | null;
  last_disconnect_at: string | null;
  created_at: string;
  updated_at: string;
};

/** A device is linked and connected */
export type DeviceConnectedEvent = {
  id: string;
  type: "device.connected";
  created_at: string;
  team_id: string | null;
  data: {
    device_id: string;
    bot_id: string;
    name: string;
    phone_number: string | null;
  };
};

/** A device lost its connection or was stopped */
export type DeviceDisconnectedEvent = {
  id: string;
  type: "device.disconnected";
  created_at: string;
  team_id: string | null;
  data: {
    device_id: string;
    bot_id: string;
    name: string;
    reason: string | null;
  };
};

export type DeviceLink = {
  /** Give it to the person who has the phone. It needs no login. */
  url: string;
  expires_at: string;
};

/** A device is no longer linked to its phone */
export type DeviceLoggedOutEvent = {
  id: string;
  type: "device.logged_out";
  created_at: string;
  team_id: string | null;
  data: {
    device_id: string;
    bot_id: string;
    name: string;
    reason: string | null;
  };
};

export type DeviceNotConnectedDetails = {
  reason: "device_not_connected";
  /** In seconds. Present while another pool takes the device over. */
  retry_after?: number | undefined;
};

/** A device shows a new QR code */
export type DeviceQrEvent = {
  id: string;
  type: "device.qr";
  created_at: string;
  team_id: string | null;
  data: {
    device_id: string;
    bot_id: string;
    name: string;
    /** The text to encode as a QR code, or the pairing code if the device was connected for one. */
    qr_text: string;
    expires_at: string;
  };
};

export type DeviceRestrictedDetails = {
  reason: "device_restricted";
  until?: string | undefined;
};

/** The network restricts a device */
export type DeviceRestrictedEvent = {
  id: string;
  type: "device.restricted";
  created_at: string;
  team_id: string | null;
  data: {
    device_id: string;
    bot_id: string;
    name: string;
    /** `blocked`: for good. `suspended`: no connection for a time. `new_chats`: no new chats for a time. `quality_low`: the network rates the account low. */
    kind: "blocked" | "suspended" | "new_chats" | "quality_low";
    until: string | null;
  };
};

export type DeviceTemplate = {
  id: string;
  team_id: string;
  device_id: string;
  name: string;
  language: string;
  /** As the network names it, like `utility` or `marketing`. */
  category: string;
  /** Only an `approved` template can be sent. */
  state: "pending" | "approved" | "rejected" | "paused" | "disabled";
  reason: string | null;
  body: string;
  variables: number | null;
  created_at: string;
  updated_at: string;
};

export type Disclosure = {
  /** `first_reply`: the first answer to a contact says it, and again after `after_days` without a message to the contact. `every_conversation`: also after a day without one. `off`: never; needs a `reason`. */
  mode: "first_reply" | "every_conversation" | "off";
  /** The notice by language (`en`, `pt`), instead of the default. `{name}` becomes the name of the team. */
  texts?: Record<string, string> | undefined;
  /** Default: 30. */
  after_days?: number | undefined;
  /** Why no notice is needed. The audit log keeps it. */
  reason?: string | undefined;
};

export type Document = {
  id: string;
  team_id: string;
  /** File name. */
  name: string;
  type: "pdf" | "txt" | "docx" | "doc" | "md" | "html" | "csv" | "xlsx" | "pptx";
  /** Bytes. */
  size: number;
  ai_provider_id: string;
  /** Storage path `<team_id>/<ai_provider_id>.<type>`; not a URL. */
  file_url: string;
  chars: number;
  /** Whether the AI provider has read it. Publishing a bot requires ready documents. */
  provider_status: "processing" | "ready" | "failed";
  created_at: string;
  updated_at: string;
};

export type DocumentChanges = {
  changes: string[];
};

/** A document could not be indexed */
export type DocumentFailedEvent = {
  id: string;
  type: "document.failed";
  created_at: string;
  team_id: string | null;
  data: {
    document_id: string;
    name: string;
    type: "pdf" | "txt" | "docx" | "doc" | "md" | "html" | "csv" | "xlsx" | "pptx";
  };
};

/** A document can be used by bots */
export type DocumentReadyEvent = {
  id: string;
  type: "document.ready";
  created_at: string;
  team_id: string | null;
  data: {
    document_id: string;
    name: string;
    type: "pdf" | "txt" | "docx" | "doc" | "md" | "html" | "csv" | "xlsx" | "pptx";
  };
};

export type DocumentsNotReadyDetails = {
  reason: "documents_not_ready";
  document_ids: string[];
  failed_document_ids: string[];
};

export type EarlierMessage = {
  role: "contact" | "assistant";
  text: string;
};

/** How many rows were deleted. */
export type ErasedContact = {
  messages: number;
  conversations: number;
  answers: number;
  events: number;
};

export type Error = {
  success: false;
  /** A message for people. It can change; programs read `code` and `details.reason`. */
  error: string;
  code: "BAD_REQUEST" | "UNAUTHORIZED" | "FORBIDDEN" | "FEATURE_NOT_AVAILABLE" | "NOT_FOUND" | "RATE_LIMIT_EXCEEDED" | "INTERNAL_ERROR";
  details?: ErrorDetails | null | undefined;
};

export type ErrorDetails = PlainDetails | ValidationDetails | ChangedMeanwhileDetails | MalformedJsonDetails | TooManyCasesDetails | TooManyRunsDetails | GateRunningDetails | GateFailedDetails | RequestRateDetails | ActiveMessagesDetails | QuotaExceededDetails | PlanInUseDetails | BotLinkedDetails | DocumentsNotReadyDetails | DeviceNotConnectedDetails | WindowClosedDetails | DeviceRestrictedDetails | ImageUnavailableDetails | IdempotencySecretShownDetails | UnknownTypeDetails | FileTooLargeDetails;

/** A stable word for programs. docs/errors.md explains each. */
export type ErrorReason = "action_not_found" | "active_messages" | "active_messaging_not_in_plan" | "already_active" | "answer_not_found" | "api_key_not_found" | "blocked" | "body_too_large" | "bot_linked" | "bot_not_found" | "bot_not_published" | "bot_version_not_found" | "case_not_found" | "changed_meanwhile" | "console_not_ready" | "contact_blocked" | "contact_opted_out" | "content_type" | "conversation_not_found" | "conversation_paused" | "creation_interrupted" | "credentials_missing" | "credentials_unsupported" | "cursor_unknown" | "database_away" | "database_busy" | "device_linked" | "device_not_connected" | "device_not_found" | "device_not_stopped" | "device_restricted" | "document_not_found" | "documents_not_ready" | "empty_file" | "encrypted" | "extension_changed" | "extraction_interrupted" | "file_missing" | "file_too_large" | "fresh_proof_needed" | "gate_failed" | "gate_running" | "headers_too_large" | "host_not_allowed" | "host_not_found" | "https_needed" | "idempotency_expired" | "idempotency_in_flight" | "idempotency_key" | "idempotency_mismatch" | "idempotency_secret_shown" | "image_unavailable" | "internal" | "last_owner" | "link_not_found" | "link_used" | "mail_not_configured" | "malformed_json" | "malformed_multipart" | "malformed_request" | "media_not_found" | "member_not_found" | "membership" | "message_not_found" | "name_empty" | "name_too_long" | "network_cannot_initiate" | "network_disabled" | "network_refused" | "network_unavailable" | "nobody_present" | "not_invited" | "not_ready" | "nothing_to_answer" | "oidc_not_configured" | "oidc_unavailable" | "origin_not_allowed" | "outcome_unknown" | "overloaded" | "override_forbidden" | "own_key" | "pairing_code_unsupported" | "passkey_host" | "passkey_not_found" | "passkey_refused" | "password_wrong" | "plan_in_use" | "plan_not_found" | "pool_capacity" | "pool_not_found" | "provider_misconfigured" | "provider_unavailable" | "push_device_not_found" | "quota_exceeded" | "recipient_opted_out" | "recipient_unknown" | "request_rate" | "request_timeout" | "resource_not_found" | "role" | "route_not_found" | "run_not_found" | "scope" | "second_factor_absent" | "second_factor_active" | "second_factor_needed" | "second_factor_wrong" | "session_needed" | "session_not_found" | "signature_invalid" | "simulator_away" | "speech_failed" | "speech_not_configured" | "starting" | "stopping" | "storage_full" | "storage_unavailable" | "team_banned" | "team_not_found" | "template_not_found" | "template_refused" | "templates_unsupported" | "text_timeout" | "text_too_large" | "too_many_attempts" | "too_many_browsers" | "too_many_cases" | "too_many_hosts" | "too_many_mails" | "too_many_passkeys" | "too_many_runs" | "too_many_streams" | "too_many_webhooks" | "type_mismatch" | "unknown_type" | "unreadable" | "upload_interrupted" | "user_not_found" | "validation" | "webhook_not_found" | "window_closed";

export type Event = DeviceConnectedEvent | DeviceDisconnectedEvent | DeviceQrEvent | DeviceRestrictedEvent | DeviceLoggedOutEvent | MessageReceivedEvent | CallMissedEvent | MessageSentEvent | MessageDeliveredEvent | MessageReadEvent | MessageFailedEvent | ConversationPausedEvent | ConversationResumedEvent | ConversationHumanRequestedEvent | ConversationUnansweredEvent | ContactOptedOutEvent | ContactOptedInEvent | ContactAutomatedEvent | BotPublishedEvent | BotPublishFailedEvent | RunFinishedEvent | ActionFailedEvent | DocumentReadyEvent | DocumentFailedEvent | TemplateUpdatedEvent | PaymentCapturedEvent | TeamCreatedEvent | TeamUpdatedEvent | TeamDeletedEvent | QuotaWarningEvent | QuotaReachedEvent | CreditsExhaustedEvent | ConversationTypingEvent | WebhookDisabledEvent | WebhookTestEvent;

export type EventsMeta = {
  /** Pass it as `after` to get the events that follow. */
  next_cursor: string;
  /** Whether more events can be read at once. */
  has_more: boolean;
};

export type FileTooLargeDetails = {
  reason: "file_too_large";
  /** In bytes. */
  limit: number;
};

export type FoundContact = {
  team_id: string | null;
  /** International format, or an id with the scheme of the network while the number is unknown: `lid:`, `bsuid:`, `tg:` or `web:`. */
  contact_number: string;
  name: string | null;
  /** What the team keeps about the contact, such as `{"birthday": "3 May"}`: at most 50 fields with names of 1 to 60 characters. */
  fields: Record<string, string>;
  labels: string[];
  note: string;
  /** Messages of the contact are stored. The bot does not answer them. */
  blocked: boolean;
  network_name: string | null;
  created_at: string | null;
  updated_at: string | null;
};

export type FreshProof = {
  /** The present password. */
  password?: string | undefined;
  /** Of a code that was mailed to the person. */
  request_id?: string | undefined;
  code?: string | undefined;
};

export type Gate = {
  /** The least share of cases that pass or only warn. */
  min_pass: number;
  /** The most questions that may be worse than before. */
  max_worse: number;
  /** `cases`: the enabled cases. `recent`: the newest questions that contacts asked, with the answers that they got. */
  sources: ("cases" | "recent")[];
  /** For `recent`: how many. 50 if absent. */
  recent_count: number;
  updated_at: string;
};

export type GateFailedDetails = {
  reason: "gate_failed";
  run_id: string;
};

export type GateRunningDetails = {
  reason: "gate_running";
  run_id: string;
};

export type Health = {
  /** The answers of the bot among the newest 5,000 of its team. */
  answers_read: number;
  /** Pairs whose questions seem to mean the same. */
  duplicates: ({
    questions: string[];
  })[];
  /** Duplicates whose answers have different numbers. */
  contradictions: ({
    questions: string[];
    /** Of the answers, in the order of the questions. */
    numbers: (string[])[];
  })[];
  /** All pairs of the draft, the least used first. */
  pairs: ({
    question: string;
    /** No answer that was read is from it. */
    unused: boolean;
    /** Of the answers that were read, how many are from it. */
    answers: number;
    /** Cases that need it. They fail without it. */
    case_ids: string[];
  })[];
  /** All documents of the draft, the least used first. */
  documents: ({
    document_id: string;
    name: string;
    created_at: string;
    latest_year: number | null;
    /** The latest year in the text is over, or the document is older than a year and mentions none. */
    stale: boolean;
    /** No answer that was read quotes it. */
    unused: boolean;
    /** Of the answers that were read, how many are from it. */
    answers: number;
    /** Cases that need it. They fail without it. */
    case_ids: string[];
  })[];
};

export type Host = {
  /** In lower case and ASCII, without port. */
  name: string;
  team_id: string;
  created_at: string;
};

export type Hours = {
  week: OpenWeek;
  /** Days with other times. The dates differ. */
  exceptions: OpenException[];
  /** The bot says this to a contact who asks for a person outside of these times. */
  text: string;
};

export type IdempotencySecretShownDetails = {
  reason: "idempotency_secret_shown";
  key_id?: string | undefined;
  webhook_id?: string | undefined;
};

export type ImageUnavailableDetails = {
  reason: "image_unavailable";
  cause: "not_supported" | "host_unknown" | "not_public" | "unreachable" | "timeout" | "bad_status" | "too_large" | "not_an_image" | "other_type";
};

export type ImportCases = {
  /** Rows separated by commas, semicolons or tabs, at most 500, with a header that has `question` and may have `name` and kinds of checks. `|` separates several values in a cell; `yes` sets a check without a value. */
  csv: string;
};

export type ImportConsents = {
  /** Needed with a key of scope `global`. */
  team_id?: string | undefined;
  /** Rows separated by commas or semicolons, at most 10000, with a header that has `number` and `state`, and may have `decided_at` and `proof`. */
  csv: string;
};

export type ImportedCases = {
  imported: number;
  /** Rows that changed nothing. */
  refused: ({
    /** The line in which the row ends; the header is line 1. */
    row: number;
    message: string;
  })[];
};

export type ImportedConsents = {
  imported: number;
  /** Rows that changed nothing. */
  refused: ({
    /** The line of the row; the header is line 1. */
    row: number;
    message: string;
  })[];
};

export type InitialQuotas = {
  bots?: number | undefined;
  accounts?: number | undefined;
  characters?: number | undefined;
  documents?: number | undefined;
  members?: number | undefined;
  credits?: number | undefined;
};

export type Invitation = {
  name: string;
  email: string;
  role: "support" | "admin" | "owner" | "viewer" | "agent" | "editor";
  team: {
    id: string;
    name: string;
  } | null;
  brand: Brand | null;
  expires_at: string;
};

export type LabelConversation = {
  /** Replace the present ones. */
  labels: string[];
};

export type LastMessage = {
  id: string;
  direction: "in" | "out";
  origin: "contact" | "bot" | "api" | "person";
  kind: "text" | "image" | "voice" | "document";
  /** The first 160 characters. */
  text: string;
  created_at: string;
};

export type LinkCredentials = {
  token: string;
  /** `whatsapp_cloud`: the id of the phone number, in digits. */
  phone_number_id?: string | undefined;
  /** `whatsapp_cloud`: the id of the WhatsApp Business account, in digits. */
  waba_id?: string | undefined;
  /** `whatsapp_cloud`: a token of a system user that does not expire. */
  access_token?: string | undefined;
  /** `whatsapp_cloud`: the secret of the app, with which the network signs what it pushes. */
  app_secret?: string | undefined;
  /** `telegram`: the token of the bot, as BotFather shows it. */
  bot_token?: string | undefined;
};

export type LinkStatus = {
  /** `stopped`: no code is shown until `connectLink`. `credentials`: `putLinkCredentials` takes the members in `credentials`. `scan`: show `qr_code`. `pair`: show `pairing_code`. `refused`: the device is blocked or its team is suspended. */
  state: "stopped" | "credentials" | "connecting" | "scan" | "pair" | "linked" | "refused";
  device_name: string;
  /** Whether the network links a phone with a code, too, if `connectLink` names its number. */
  pairing: boolean;
  /** Whether the state is `stopped` because no phone used the code in time. `connectLink` begins again. */
  timed_out: boolean;
  message: string;
  /** PNG as a base64 data URI. Present in the state `scan`. */
  qr_code?: string | undefined;
  /** The code to enter on the phone. Present in the state `pair`. */
  pairing_code?: string | undefined;
  /** What the network needs. Absent on networks that link a phone. */
  credentials?: string[] | undefined;
  /** Why the last credentials did not connect: the network refuses them, or another connected device has the account. Only in the state `credentials`. */
  credentials_problem?: "credentials_invalid" | "account_in_use" | undefined;
  /** To enter at the network. Only in the response of `putLinkCredentials`. */
  webhook_url?: string | undefined;
  /** To enter beside the address. Only in the response of `putLinkCredentials`. */
  verify_token?: string | undefined;
  expires_at: string;
};

export type LinkToken = {
  token: string;
};

export type MalformedJsonDetails = {
  reason: "malformed_json";
  /** The position of the first error in malformed JSON, in characters from 0. */
  position?: number | undefined;
};

export type Member = {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  created_at: string;
  role: "viewer" | "agent" | "editor" | "owner";
  /** `invited`: the person cannot sign in yet. */
  state: "invited" | "active";
  last_seen_at: string | null;
  /** Whether visitors of a website see a picture of the person. */
  has_picture: boolean;
};

export type MemberInvitation = {
  /** Give it to the person. It works once, for 7 days. */
  invitation_url: string;
  /** The end of the link. */
  expires_at: string;
  /** The person also gets the link by e-mail. False without a mail server, and after 20 mails in an hour for the team or the address: then hand the link over. */
  mailed: boolean;
};

export type MessageAnswer = {
  id: string;
  bot_id: string;
  /** The version of the bot that answered. 0: the draft answered a tester. */
  version: number;
  /** False when the bot did not know the answer. */
  answered: boolean;
  credits: number;
  trace: {
    pair?: {
      question: string;
      score: number;
    } | undefined;
    passages: ({
      /** Absent when the document has been deleted. */
      document_id?: string | undefined;
      /** The document's name. */
      document?: string | undefined;
      page?: number | undefined;
      heading?: string | undefined;
      quote: string;
      score: number;
    })[];
    actions: ({
      name: string;
      arguments: Record<string, string | number | boolean>;
      /** HTTP status. Absent when there was no response. */
      status?: number | undefined;
      ms: number;
      /** Absent when the call succeeded. */
      error?: string | undefined;
    })[];
    /** True if the model reached its limit of tokens. The answer then ends at its last whole sentence, or with an ellipsis. Else absent. */
    shortened?: boolean | undefined;
    /** True if a model said that the question is outside the purpose of the bot. Else absent. */
    off_topic?: boolean | undefined;
    /** Which state of the draft answered a tester. Else absent. */
    draft_revision?: number | undefined;
  };
  created_at: string;
};

/** A message reached its recipient */
export type MessageDeliveredEvent = {
  id: string;
  type: "message.delivered";
  created_at: string;
  team_id: string | null;
  data: {
    message_id: string;
    device_id: string;
    contact_number: string;
    /** The author of the message. */
    origin: "contact" | "bot" | "api" | "person";
    kind: "text" | "image" | "voice" | "document";
  };
};

/** The structure of a message that `text` only describes. */
export type MessageDetails = {
  type?: "album" | "audio" | "business_message" | "button_reply" | "call" | "contacts" | "deletion" | "edit" | "event" | "event_reply" | "flow_reply" | "group_invite" | "list_reply" | "live_location" | "location" | "order" | "payment" | "pin" | "poll" | "poll_vote" | "product" | "reaction" | "sticker" | "template_reply" | "unsupported" | "video" | "view_once" | undefined;
  /** The message that a reaction, an edit, a deletion or a vote is about, if known. */
  message_id?: string | undefined;
  /** The quoted message, if known. */
  reply_to_id?: string | undefined;
  /** A quoted message that Parley does not have, as the sender's app describes it. */
  quoted?: {
    kind: "text" | "image" | "voice" | "document";
    text: string;
  } | undefined;
  /** The sender deleted the message. The bot no longer sees it. */
  deleted?: true | undefined;
  /** The sender edited the message after its answer. The bot sees only the edit. */
  corrected?: true | undefined;
  /** Of an edit: it changed the text of the other message before that was answered. */
  applied?: true | undefined;
  /** The first `text` of a message that an edit changed. */
  original_text?: string | undefined;
  latitude?: number | undefined;
  longitude?: number | undefined;
  name?: string | undefined;
  address?: string | undefined;
  contacts?: ({
    name: string;
    vcard: string;
  })[] | undefined;
  question?: string | undefined;
  /** The options of a poll, or those that a vote chose. */
  options?: string[] | undefined;
  /** The right option of a quiz. */
  correct?: string | undefined;
  items?: ({
    name: string;
    /** The seller's id of the product. */
    id?: string | undefined;
    quantity?: number | undefined;
    /** The price of one. */
    amount?: number | undefined;
    currency?: string | undefined;
  })[] | undefined;
  /** The network's id of an order. */
  order_id?: string | undefined;
  item_count?: number | undefined;
  /** The total of an order or a payment. */
  amount?: number | undefined;
  currency?: string | undefined;
  /** The fields of a form that the contact filled in. */
  answers?: ({
    name: string;
    value: string;
  })[] | undefined;
  /** When an event or a call is planned. */
  starts_at?: string | undefined;
  /** Whether a call was one with video. */
  video?: boolean | undefined;
  /** Of type `unsupported`: the network's name of the content. */
  content_type?: string | undefined;
  /** The app of the business sent the message by itself. It does not pause the bot. */
  automatic?: true | undefined;
  /** Empty when the reaction was removed. */
  emoji?: string | undefined;
  /** The sender's id of the chosen button or row. */
  choice?: string | undefined;
  missing_media?: "too_large" | "unavailable" | undefined;
};

/** A message was refused, or its outcome stays unknown */
export type MessageFailedEvent = {
  id: string;
  type: "message.failed";
  created_at: string;
  team_id: string | null;
  data: {
    message_id: string;
    device_id: string;
    contact_number: string;
    /** The author of the message. */
    origin: "contact" | "bot" | "api" | "person";
    kind: "text" | "image" | "voice" | "document";
    /** `refused`: never sent, and the charge is refunded. `unknown`: it may have arrived. */
    status: "refused" | "unknown";
    failure: string;
  };
};

/** The recipient opened a message */
export type MessageReadEvent = {
  id: string;
  type: "message.read";
  created_at: string;
  team_id: string | null;
  data: {
    message_id: string;
    device_id: string;
    contact_number: string;
    /** The author of the message. */
    origin: "contact" | "bot" | "api" | "person";
    kind: "text" | "image" | "voice" | "document";
  };
};

/** A contact wrote */
export type MessageReceivedEvent = {
  id: string;
  type: "message.received";
  created_at: string;
  team_id: string | null;
  data: {
    message_id: string;
    device_id: string;
    contact_number: string;
    /** The author of the message. */
    origin: "contact" | "bot" | "api" | "person";
    kind: "text" | "image" | "voice" | "document";
    text: string;
    conversation_id: string | null;
  };
};

export type MessageRecord = {
  id: string;
  team_id: string;
  device_id: string;
  contact_number: string;
  direction: "in" | "out";
  origin: "contact" | "bot" | "api" | "person";
  kind: "text" | "image" | "voice" | "document";
  text: string;
  status: "received" | "answered" | "ignored" | "accepted" | "sent" | "delivered" | "read" | "refused" | "unknown";
  /** Why the network refused the message, or why its outcome is unknown. */
  failure?: string | undefined;
  /** Of a message from a contact: whether the bot answered it, or why not. `out_of_credits` and `provider_failed` are answered later, when that is possible. For `audio_not_allowed`, `unsupported_content` and a voice note with `provider_failed`, the bot asked for text. `rate_limited`: the contact or all contacts of the device wrote far too many messages. `automated_contact`: the contact seems to be a machine. `contact_blocked`: the team blocked the contact. `too_old`: it arrived later than the `answer_max_age_minutes` of the bot, and the conversation is flagged. `deleted`: the contact deleted it before the bot answered. */
  outcome?: "waiting" | "answered" | "bot_not_published" | "team_banned" | "paused" | "rate_limited" | "automated_contact" | "contact_blocked" | "too_old" | "deleted" | "out_of_credits" | "provider_failed" | "audio_not_allowed" | "unsupported_content" | undefined;
  /** The kind of failure, with the outcome `provider_failed`. */
  outcome_reason?: string | undefined;
  generation?: "generated" | "failed" | undefined;
  /** Of a message of the bot: the thumb of a person of the team. */
  rating?: "up" | "down" | undefined;
  /** The thumb of the contact, by a reaction 👍 or 👎. */
  contact_rating?: "up" | "down" | undefined;
  /** Whether the charge was refunded. */
  refunded: boolean;
  /** The type of the file that a contact or a person sent (`GET /messages/{id}/media`). */
  mime_type?: string | undefined;
  details?: MessageDetails | undefined;
  template?: MessageTemplate | undefined;
  choices?: Choices | undefined;
  /** The network's number of the error. */
  failure_code?: number | undefined;
  pricing?: Pricing | undefined;
  sent_at?: string | undefined;
  created_at: string;
};

/** The network accepted a message */
export type MessageSentEvent = {
  id: string;
  type: "message.sent";
  created_at: string;
  team_id: string | null;
  data: {
    message_id: string;
    device_id: string;
    contact_number: string;
    /** The author of the message. */
    origin: "contact" | "bot" | "api" | "person";
    kind: "text" | "image" | "voice" | "document";
    text: string;
  };
};

/** The network gets this template, also for contacts who have not written for 24 hours. The console shows the text of the message. Not together with an image, audio, options or `ai_generates_message`. */
export type MessageTemplate = {
  /** Of an approved template of the device. */
  name: string;
  language: string;
  /** The values of the variables of the body, in order. Without line breaks and tabs. */
  parameters: string[];
};

export type MessageUsage = {
  activeMessagesUsed: number;
  activeMessagesQuota: number;
  /** Includes the soft margin. */
  activeMessagesRemaining: number;
};

export type NewPasskey = {
  name: string;
  /** The id of the credential. */
  id: string;
  /** The `clientDataJSON` of the response. */
  client_data: string;
  /** The `attestationObject` of the response. */
  attestation: string;
};

export type NewTeam = {
  name: string;
  plan_name?: string | undefined;
  quotas?: InitialQuotas | undefined;
};

export type NewUser = {
  name: string;
  email: string;
  phone?: string | undefined;
};

export type Note = {
  id: string;
  conversation_id: string;
  author: Author;
  text: string;
  created_at: string;
};

export type OidcStart = {
  /** Open it in this browser, within 10 minutes. */
  url: string;
};

export type OpenException = {
  /** A day in the time zone of the team. */
  date: string;
  /** In order. Empty: closed. */
  times: OpenTime[];
};

export type OpenPortal = {
  token: string;
};

export type OpenTime = {
  from: string;
  until: string;
};

/** In the team's time zone. */
export type OpenWeek = {
  /** In order. Empty: closed. */
  monday: OpenTime[];
  /** In order. Empty: closed. */
  tuesday: OpenTime[];
  /** In order. Empty: closed. */
  wednesday: OpenTime[];
  /** In order. Empty: closed. */
  thursday: OpenTime[];
  /** In order. Empty: closed. */
  friday: OpenTime[];
  /** In order. Empty: closed. */
  saturday: OpenTime[];
  /** In order. Empty: closed. */
  sunday: OpenTime[];
};

export type PageMeta = {
  page: number;
  limit: number;
  total: number;
  totalPages: number;
  /** Present with `after`. Null after the last page. If the last page is full, the next one is empty. */
  next_cursor?: string | null | undefined;
};

export type Passkey = {
  id: string;
  name: string;
  /** The host name at which it signs in. */
  host: string;
  created_at: string;
  last_used_at: string | null;
};

export type PasskeyCreation = {
  /** Works once, within 5 minutes. */
  challenge: string;
  /** The `rp.id`. */
  host: string;
  /** The `rp.name`. */
  brand: string;
  user: {
    id: string;
    name: string;
    display_name: string;
  };
  /** The `alg` of `pubKeyCredParams`. */
  algorithms: number[];
  /** The ids of `excludeCredentials`. */
  existing: string[];
};

export type PasskeyRequest = {
  /** Works once, within 5 minutes. */
  challenge: string;
  /** The `rpId`. */
  host: string;
};

export type PasskeySignIn = {
  /** The id of the credential. */
  id: string;
  /** The `clientDataJSON` of the response. */
  client_data: string;
  /** The `authenticatorData` of the response. */
  authenticator_data: string;
  /** The `signature` of the response. */
  signature: string;
  /** The `userHandle` of the response. */
  user: string;
};

/** A contact sent a payment receipt */
export type PaymentCapturedEvent = {
  id: string;
  type: "payment.captured";
  created_at: string;
  team_id: string | null;
  data: {
    conversation_id: string;
    device_id: string;
    contact_number: string;
  };
};

export type PlainDetails = {
  reason: "action_not_found" | "active_messaging_not_in_plan" | "already_active" | "answer_not_found" | "api_key_not_found" | "blocked" | "body_too_large" | "bot_not_found" | "bot_not_published" | "bot_version_not_found" | "case_not_found" | "console_not_ready" | "contact_blocked" | "contact_opted_out" | "content_type" | "conversation_not_found" | "conversation_paused" | "creation_interrupted" | "credentials_missing" | "credentials_unsupported" | "cursor_unknown" | "database_away" | "database_busy" | "device_linked" | "device_not_found" | "device_not_stopped" | "document_not_found" | "empty_file" | "encrypted" | "extension_changed" | "extraction_interrupted" | "file_missing" | "fresh_proof_needed" | "headers_too_large" | "host_not_allowed" | "host_not_found" | "https_needed" | "idempotency_expired" | "idempotency_in_flight" | "idempotency_key" | "idempotency_mismatch" | "internal" | "last_owner" | "link_not_found" | "link_used" | "mail_not_configured" | "malformed_multipart" | "malformed_request" | "media_not_found" | "member_not_found" | "membership" | "message_not_found" | "name_empty" | "name_too_long" | "network_cannot_initiate" | "network_disabled" | "network_refused" | "network_unavailable" | "nobody_present" | "not_invited" | "not_ready" | "nothing_to_answer" | "oidc_not_configured" | "oidc_unavailable" | "origin_not_allowed" | "outcome_unknown" | "overloaded" | "override_forbidden" | "own_key" | "pairing_code_unsupported" | "passkey_host" | "passkey_not_found" | "passkey_refused" | "password_wrong" | "plan_not_found" | "pool_capacity" | "pool_not_found" | "provider_misconfigured" | "provider_unavailable" | "push_device_not_found" | "recipient_opted_out" | "recipient_unknown" | "request_timeout" | "resource_not_found" | "role" | "route_not_found" | "run_not_found" | "scope" | "second_factor_absent" | "second_factor_active" | "second_factor_needed" | "second_factor_wrong" | "session_needed" | "session_not_found" | "signature_invalid" | "simulator_away" | "speech_failed" | "speech_not_configured" | "starting" | "stopping" | "storage_full" | "storage_unavailable" | "team_banned" | "team_not_found" | "template_not_found" | "template_refused" | "templates_unsupported" | "text_timeout" | "text_too_large" | "too_many_attempts" | "too_many_browsers" | "too_many_hosts" | "too_many_mails" | "too_many_passkeys" | "too_many_streams" | "too_many_webhooks" | "type_mismatch" | "unreadable" | "upload_interrupted" | "user_not_found" | "webhook_not_found";
};

export type Plan = {
  name: string;
  features: PlanFeatures;
  active_messages_monthly: number;
  /** Value of `paying` for a new team. */
  paying: boolean;
  quotas: Quotas;
};

export type PlanFeatures = {
  /** Whether teams may send active messages. */
  allowActiveMessaging: boolean;
};

export type PlanInUseDetails = {
  reason: "plan_in_use";
  teams: number;
};

export type Pool = {
  id: string;
  /** Address of the internal interface of the pool. */
  url: string;
  capacity: number;
  /** Number of devices on the pool, including stopped devices. */
  devices: number;
  /** Number of devices connected to the network. */
  connected: number;
  /** Whether the lease of the pool is valid. Other pools take over the devices of a dead pool. */
  alive: boolean;
  /** Whether the pool accepts no new devices and moves its devices to other pools. */
  draining: boolean;
  /** Seconds since the last renewal of the lease. */
  lease_age_seconds: number;
  lease_remaining_seconds: number;
  started_at: string;
};

export type PortalLink = {
  /** Opens the console once, also in a frame of `PORTAL_FRAME_ORIGINS`. */
  url: string;
  expires_at: string;
};

export type PortalSession = {
  /** A bearer token. It ends with the creator of the link, too. */
  access_token: string;
  /** An hour later. */
  expires_at: string;
  /** The audit log names the session `portal:` and this id. */
  id: string;
  team: {
    id: string;
    name: string;
  };
  role: "viewer" | "agent" | "editor";
  pages: ("home" | "conversations" | "bot" | "phones" | "documents")[];
};

export type Preview = {
  /** Of the contacts who get the draft. */
  numbers: string[];
};

/** What the network charges. Absent until it reports it for a delivered message. */
export type Pricing = {
  /** As the network names it, like `service`, `utility` or `marketing`. */
  category: string;
  billable: boolean;
  amount: number | null;
  currency: string | null;
};

export type ProposedCases = {
  /** Cases that were added. */
  proposed: number;
};

export type PublishBot = {
  /** Why an owner publishes although the gate is closed. The audit log keeps it. */
  override_reason?: string | undefined;
};

export type PushDevice = {
  id: string;
};

export type PutAlertSettings = {
  mail_after_minutes: number | null;
  /** Messages of the browser, on each device that was added. */
  push: boolean;
  /** Also when a phone has lost its connection for a minute. */
  devices: boolean;
  quiet_hours: {
    from: string;
    until: string;
    timezone: string;
  } | null;
  team_ids: string[] | null;
  /** Of mails and messages. */
  language: string;
};

export type PutBrand = {
  name?: string | null | undefined;
  color?: string | null | undefined;
  logo?: string | null | undefined;
  sender_name?: string | null | undefined;
};

export type PutConsent = {
  /** Needed with a key of scope `global`. */
  team_id?: string | undefined;
  /** Default: `active_messages`. */
  kind?: "active_messages" | undefined;
  /** `out`: the contact gets no active messages. `in`: the contact agreed to them. `unknown`: nobody decided. */
  state: "in" | "out" | "unknown";
  /** Where the decision was entered. Default: `api`. */
  source?: "api" | "console" | undefined;
  proof?: string | null | undefined;
};

export type PutGate = {
  /** The least share of cases that pass or only warn. */
  min_pass: number;
  /** The most questions that may be worse than before. */
  max_worse: number;
  /** `cases`: the enabled cases. `recent`: the newest questions that contacts asked, with the answers that they got. */
  sources: ("cases" | "recent")[];
  /** For `recent`: how many. 50 if absent. */
  recent_count?: number | undefined;
  expected_updated_at?: string | null | undefined;
};

export type PutHost = {
  team_id: string;
};

export type PutHours = {
  hours?: Hours | undefined;
  expected_updated_at?: string | null | undefined;
};

export type PutPlan = {
  features: PlanFeatures;
  active_messages_monthly: number;
  /** Value of `paying` for a new team. */
  paying: boolean;
  quotas: Quotas;
};

export type PutSavedReplies = {
  /** The names differ. */
  replies: SavedReply[];
  expected_updated_at?: string | null | undefined;
};

export type QuotaExceededDetails = {
  reason: "quota_exceeded";
  quota: "bots" | "accounts" | "characters" | "documents" | "members" | "credits";
  used: number;
  limit: number;
  /** How much the request would add to `used`. */
  needed: number;
};

export type QuotaOverrides = {
  /** The team's own quota. Null restores the plan's quota. */
  bots?: number | null | undefined;
  /** The team's own quota. Null restores the plan's quota. */
  accounts?: number | null | undefined;
  /** The team's own quota. Null restores the plan's quota. */
  characters?: number | null | undefined;
  /** The team's own quota. Null restores the plan's quota. */
  documents?: number | null | undefined;
  /** The team's own quota. Null restores the plan's quota. */
  members?: number | null | undefined;
  /** The team's own quota. Null restores the plan's quota. */
  credits?: number | null | undefined;
};

/** A team has used up a quota */
export type QuotaReachedEvent = {
  id: string;
  type: "quota.reached";
  created_at: string;
  team_id: string | null;
  data: {
    quota: "bots" | "accounts" | "characters" | "documents" | "members" | "credits" | "active_messages";
    used: number;
    limit: number;
  };
};

export type QuotaWarning = {
  team_id: string;
  team_name: string;
  quota: "bots" | "accounts" | "characters" | "documents" | "members" | "credits" | "active_messages";
  used: number;
  /** For active messages, without the 5% margin. */
  limit: number;
};

/** A team has used 80% of a quota */
export type QuotaWarningEvent = {
  id: string;
  type: "quota.warning";
  created_at: string;
  team_id: string | null;
  data: {
    quota: "bots" | "accounts" | "characters" | "documents" | "members" | "credits" | "active_messages";
    used: number;
    limit: number;
  };
};

export type QuotaWarnings = {
  warnings: QuotaWarning[];
};

export type Quotas = {
  bots: number;
  accounts: number;
  characters: number;
  documents: number;
  members: number;
  credits: number;
};

export type RateMessage = {
  rating: "up" | "down" | null;
};

export type ReadInvitation = {
  token: string;
};

export type Recipient = {
  /** `model`: messages, and knowledge of the bot, for answers. `embedding`: questions, pairs and documents. `speech`: voice notes and spoken answers. `database` and `files`: all that is stored. `network`: all messages. `telemetry`: traces and metrics, without texts. `webhook`: events. `action`: what the bot fills in. */
  kind: "model" | "embedding" | "speech" | "database" | "files" | "network" | "mail" | "telemetry" | "webhook" | "action";
  name: string | null;
  host: string | null;
  /** Whether the host is private, so that it is hardly a company of its own. */
  own: boolean;
};

export type RecoveryCodes = {
  /** Each takes the place of a code of the app, once. They are not shown again. */
  recovery_codes: string[];
};

export type RenameDocument = {
  /** Must keep the extension of the document. */
  name: string;
  /** The `updated_at` of the object that the changes are based on. If the object changed since, nothing is changed, and the error `changed_meanwhile` shows both values. */
  expected_updated_at?: string | undefined;
};

export type ReplayWebhook = {
  /** One event, whatever its type. */
  event_id?: string | undefined;
  /** All events of the types of the webhook since then. */
  since?: string | undefined;
};

export type Replayed = {
  /** How many deliveries were added. */
  deliveries: number;
};

export type RequestRateDetails = {
  reason: "request_rate";
  quota?: number | undefined;
  used?: number | undefined;
  /** Only for send: the active messages of the month. */
  limit?: number | undefined;
};

export type RequestRecoveryLink = {
  email: string;
  /** The language of the mail. Default: `en`. */
  language?: "en" | "es" | "pt" | "de" | undefined;
};

export type RequestSignInCode = {
  email: string;
  /** The language of the mail. Default: `en`. */
  language?: "en" | "es" | "pt" | "de" | undefined;
};

export type Restriction = {
  /** `quality_low`: the network rates the account low, and may restrict it. `messaging_limit`: new chats that the account may start in 24 hours. `suspended`: the network keeps the account offline. `new_chats`: the network refuses messages to contacts who never wrote to this device. */
  kind: "suspended" | "new_chats" | "quality_low" | "messaging_limit";
  until: string | null;
  /** Of the kind `messaging_limit`. */
  limit?: number | undefined;
  /** `warm_up`: Parley limits the new chats of a device that was linked recently. */
  reason: "account_suspended" | "network_refused" | "warm_up" | "quality_low" | "messaging_limit";
};

export type RotatedWebhookSecret = {
  /** Verifies the signatures, with any library of Standard Webhooks. It is shown once; keep it safe. */
  secret: string;
  /** Until then, deliveries carry signatures of both. */
  previous_secret_until: string;
};

export type Run = {
  id: string;
  bot_id: string;
  /** The version that answered. */
  version: "draft" | "published";
  baseline: string | null;
  /** `cases`: the enabled cases. `recent`: the newest questions that contacts asked, with the answers that they got. */
  sources: ("cases" | "recent")[];
  state: "waiting" | "running" | "finished" | "failed";
  error: string | null;
  /** From 0 to 1. */
  progress: number;
  /** Questions of the run. */
  total: number;
  /** Cases whose checks all hold. */
  passed: number;
  /** Cases with a check that does not hold, or a question without an answer. */
  failed: number;
  /** Cases that only a judge doubts, and questions that need an unrecorded call. */
  warned: number;
  /** Questions with another answer than before. */
  changed: number;
  /** Questions that were answered or passed before, and are not now. */
  worse: number;
  cost: number | null;
  results_url: string;
  created_at: string;
  finished_at: string | null;
};

export type RunAnswer = {
  /** Empty: the bot stays silent. */
  text: string;
  answered: boolean;
  source: string | null;
};

/** A run of the cases of a bot ended */
export type RunFinishedEvent = {
  id: string;
  type: "run.finished";
  created_at: string;
  team_id: string | null;
  data: {
    run_id: string;
    bot_id: string;
    version: "draft" | "published";
    state: "finished" | "failed";
    passed: number;
    failed: number;
    warned: number;
    changed: number;
    worse: number;
  };
};

export type RunResult = {
  position: number;
  case_id: string | null;
  conversation_id: string | null;
  /** Of the case, or the question of the contact. */
  name: string;
  outcome: "passed" | "failed" | "warned";
  changed: boolean;
  worse: boolean;
  old: RunAnswer | null;
  new: RunAnswer;
  /** Why it failed, is worse or changed. */
  reasons: string[];
};

export type SavedReply = {
  name: string;
  text: string;
};

export type SendError = {
  success: false;
  error: {
    message: string;
    code: "BAD_REQUEST" | "UNAUTHORIZED" | "FORBIDDEN" | "FEATURE_NOT_AVAILABLE" | "NOT_FOUND" | "RATE_LIMIT_EXCEEDED" | "INTERNAL_ERROR";
    details?: ErrorDetails | undefined;
  };
};

export type SendFileToConversation = {
  /** From 1 byte to 16 MiB, or the limit of the deployment (`MAX_UPLOAD_BYTES`) if it is lower. JPEG and PNG are images. Opus in Ogg or WebM without `text` is a voice note. Everything else is a document. */
  file: Upload;
  /** The caption. */
  text?: string | undefined;
};

export type SendMessage = {
  /** The device that sends the message. */
  device_id: string;
  message: string;
  /** International format. */
  destination_number: string;
  send_as_audio?: boolean | undefined;
  ai_generates_message?: boolean | undefined;
  /** Fetched once. The address must be public. */
  image_url?: string | null | undefined;
  /** The media type that the image must have. */
  image_mime_type?: string | null | undefined;
  template?: MessageTemplate | undefined;
  choices?: Choices | undefined;
  /** While the network refuses new chats of the device: `refuse` the message to a new contact (the default), or `hold` it until the restriction ends. */
  when_restricted?: "refuse" | "hold" | undefined;
};

export type SentMessage = {
  device_id: string;
  /** The device's name. */
  name: string;
  destinationNumber: string;
  sendAsAudio: boolean;
  aiGeneratesMessage: boolean;
  imageUrl: string | null;
  imageMimeType: string | null;
  usage: MessageUsage;
  messageId: string;
  /** `accepted`: the network did not acknowledge the message within the time of the request. */
  status: "sent" | "accepted";
  generation?: "generated" | "failed" | undefined;
};

export type Session = {
  /** The membership in use. */
  user: {
    id: string;
    name: string;
    email: string;
    phone: string | null;
    created_at: string;
    role: "support" | "admin" | "owner" | "viewer" | "agent" | "editor";
  };
  team: {
    id: string;
    name: string;
  } | null;
  role: "support" | "admin" | "owner" | "viewer" | "agent" | "editor";
  /** Send the id of a team, or `partner`, in `X-Parley-Team` to use another one. */
  memberships: ({
    user_id: string;
    team: {
      id: string;
      name: string;
    } | null;
    role: "support" | "admin" | "owner" | "viewer" | "agent" | "editor";
  })[];
  has_password: boolean;
  /** The person may set a password without the present one, for 15 minutes after a link. */
  password_settable: boolean;
  has_second_factor: boolean;
  /** How many were not used. */
  recovery_codes: number;
  session: SessionEntry;
};

export type SessionEntry = {
  id: string;
  created_at: string;
  /** Exact to a minute. */
  last_seen_at: string;
  /** Use puts it off, to 30 days after the sign-in at most. */
  expires_at: string;
  /** Where the person signed in from. */
  address: string;
  user_agent: string | null;
  /** The session of this request. */
  current: boolean;
};

export type SetPreview = {
  /** All testers: others are no testers any more. Empty: nobody gets the draft. */
  numbers: string[];
};

export type SetUp = {
  token: string;
  name: string;
  email: string;
  /** At least 10 characters. Any characters will do. */
  password: string;
};

export type SignInMeans = {
  password: boolean;
  /** Codes and recovery links are sent by e-mail. */
  code: boolean;
  /** The deployment has an identity provider. */
  oidc: boolean;
  /** No owner can sign in yet. A link that was printed at the start creates one. */
  set_up: boolean;
};

export type SignInWithCode = {
  request_id: string;
  email: string;
  code: string;
  /** For a person with a second factor: a code of the authenticator app, or a recovery code. Each works once. */
  second_factor?: string | undefined;
};

export type SignInWithLink = {
  token: string;
  /** At least 10 characters. Any characters will do. */
  password?: string | undefined;
  /** For a person with a second factor: a code of the authenticator app, or a recovery code. Each works once. */
  second_factor?: string | undefined;
};

export type SignInWithOidc = {
  code: string;
  state: string;
  /** The `iss` of the address, if it has one. */
  iss?: string | undefined;
};

export type SignInWithPassword = {
  email: string;
  password: string;
  /** For a person with a second factor: a code of the authenticator app, or a recovery code. Each works once. */
  second_factor?: string | undefined;
};

export type StaffMember = {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  created_at: string;
  role: "support" | "admin" | "owner";
  /** `invited`: the person cannot sign in yet. */
  state: "invited" | "active";
  last_seen_at: string | null;
  /** Whether visitors of a website see a picture of the person. */
  has_picture: boolean;
};

export type StartedConnection = {
  device_id: string;
  status: "started";
  message: string;
};

export type StartedSecondFactor = {
  /** In base32, to type it into an app. It is not shown again. */
  secret: string;
  /** For an app on the same device: `otpauth://totp/…`. */
  url: string;
  /** The address as a PNG, in a data URI. */
  qr_code: string;
};

export type StoredCredentials = {
  device_id: string;
  /** Enter it at the network as the address of the webhook. */
  webhook_url: string;
  /** Enter it beside the address. Shown once. It is new with each change of the credentials. */
  verify_token: string;
};

export type StoredHours = {
  hours: Hours | null;
  /** Of the settings of the team. */
  timezone: string;
  /** Now. */
  open: boolean;
  updated_at: string | null;
};

export type StoredReplies = {
  /** The names differ. */
  replies: SavedReply[];
  updated_at: string | null;
};

export type Team = {
  id: string;
  name: string;
  plan_name: string;
  paying: boolean;
  banned: boolean;
  created_at: string;
  updated_at: string;
};

/** A team was created */
export type TeamCreatedEvent = {
  id: string;
  type: "team.created";
  created_at: string;
  team_id: string | null;
  data: {
    team_id: string;
    name: string;
  };
};

/** A team was deleted */
export type TeamDeletedEvent = {
  id: string;
  type: "team.deleted";
  created_at: string;
  team_id: string | null;
  data: {
    team_id: string;
    name: string;
  };
};

export type TeamDetail = {
  id: string;
  name: string;
  plan_name: string;
  paying: boolean;
  banned: boolean;
  created_at: string;
  updated_at: string;
  quotas: Quotas;
  settings: TeamSettings;
};

export type TeamSettings = {
  locale: string;
  /** IANA name. Language models get the time in it. Parley's own times are in UTC. */
  timezone: string;
  reply_delay_seconds: number;
  human_takeover_minutes: number;
  /** Messages, conversations, answers and events are deleted after this time. */
  retention_days: number;
  /** How contacts learn that a machine answers. Null: as `DISCLOSURE_DEFAULT` says. */
  disclosure: Disclosure | null;
};

export type TeamSettingsUpdate = {
  locale?: string | undefined;
  /** IANA name. Language models get the time in it. Parley's own times are in UTC. */
  timezone?: string | undefined;
  reply_delay_seconds?: number | undefined;
  human_takeover_minutes?: number | undefined;
  /** Messages, conversations, answers and events are deleted after this time. */
  retention_days?: number | undefined;
  /** How contacts learn that a machine answers. Null: as `DISCLOSURE_DEFAULT` says. */
  disclosure?: Disclosure | null | undefined;
};

/** A team was changed */
export type TeamUpdatedEvent = {
  id: string;
  type: "team.updated";
  created_at: string;
  team_id: string | null;
  data: {
    team_id: string;
    name: string;
    /** The changed fields. */
    changes: string[];
  };
};

export type TeamUsage = {
  quotas: {
    bots: {
      used: number;
      limit: number;
    };
    accounts: {
      used: number;
      limit: number;
    };
    characters: {
      used: number;
      limit: number;
    };
    documents: {
      used: number;
      limit: number;
    };
    members: {
      used: number;
      limit: number;
    };
    credits: {
      used: number;
      limit: number;
    };
  };
  active_messages: {
    /** UTC calendar month, YYYY-MM. The credits are counted for the same month. */
    month: string;
    used: number;
    quota: number;
    /** The quota plus the 5% margin. */
    limit: number;
    remaining: number;
  };
  /** Calls of language models for answers, questions over the API and rewrites in the month of `active_messages`: in total and by model. Each number is the sum of the known values. It is null if calls were made and none of their values is known, and 0 if no call was made. Answers of the embedded provider call no model. */
  ai: {
    /** Calls of the model. Failed calls do not count. */
    calls: number;
    /** Calls whose provider did not report the tokens. The sums of tokens do not contain them. */
    calls_without_tokens: number;
    /** Calls whose cost is unknown, because the tokens are unknown or `MODEL_PRICES` had no price. `cost` does not contain them. */
    calls_without_cost: number;
    /** Includes `cached_tokens`. */
    input_tokens: number | null;
    /** The input tokens that the provider read from its cache. */
    cached_tokens: number | null;
    /** Includes `reasoning_tokens`. */
    output_tokens: number | null;
    /** The output tokens of the reasoning. */
    reasoning_tokens: number | null;
    /** In the currency of `MODEL_PRICES`, at the prices of the time of the call. */
    cost: number | null;
    by_model: ({
      /** Such as `openai`. */
      provider: string;
      /** The provider’s id of the model. */
      model: string;
      /** Calls of the model. Failed calls do not count. */
      calls: number;
      /** Calls whose provider did not report the tokens. The sums of tokens do not contain them. */
      calls_without_tokens: number;
      /** Calls whose cost is unknown, because the tokens are unknown or `MODEL_PRICES` had no price. `cost` does not contain them. */
      calls_without_cost: number;
      /** Includes `cached_tokens`. */
      input_tokens: number | null;
      /** The input tokens that the provider read from its cache. */
      cached_tokens: number | null;
      /** Includes `reasoning_tokens`. */
      output_tokens: number | null;
      /** The output tokens of the reasoning. */
      reasoning_tokens: number | null;
      /** In the currency of `MODEL_PRICES`, at the prices of the time of the call. */
      cost: number | null;
    })[];
  };
  /** What networks reported about the prices of messages that they delivered in the month of `active_messages`, by category and currency. Empty if they reported nothing. */
  message_prices: ({
    /** As the network names it, like `service`, `utility` or `marketing`. */
    category: string;
    /** That of `MESSAGE_PRICES` when the messages were delivered. Null: it was empty. */
    currency: string | null;
    /** Messages that the network charges for. */
    billable: number;
    /** Messages that the network does not charge for. */
    not_billable: number;
    /** Of `billable`: messages without a price in `MESSAGE_PRICES`. `amount` does not contain them. */
    without_price: number;
    /** The sum of the known prices, at the prices of the day of the delivery. Null if none is known. */
    amount: number | null;
  })[];
};

/** The network changed the state of a template */
export type TemplateUpdatedEvent = {
  id: string;
  type: "template.updated";
  created_at: string;
  team_id: string | null;
  data: {
    template_id: string;
    device_id: string;
    name: string;
    language: string;
    state: "pending" | "approved" | "rejected" | "paused" | "disabled";
    reason: string | null;
  };
};

export type TooManyCasesDetails = {
  reason: "too_many_cases";
  limit: number;
};

export type TooManyRunsDetails = {
  reason: "too_many_runs";
  limit: number;
};

export type TriedAction = {
  /** Null without a response. */
  status: number | null;
  error: string | null;
  /** The text for the model: the response, or the error. */
  result: string;
  ms: number;
};

export type TryAction = {
  /** The values that the AI would fill in. */
  arguments?: Record<string, string | number | boolean> | undefined;
};

export type UnansweredExample = {
  conversation_id: string;
  /** The last message of the contact with the question. */
  message_id: string;
  /** At most 500 characters of what the contact wrote. */
  question: string;
  /** When the bot could not answer. */
  asked_at: string;
};

export type UnansweredGroup = {
  /** The most frequent words of the question. */
  question: string;
  /** How often contacts asked. */
  count: number;
  /** Answers with a thumb down among them. */
  thumbs_down: number;
  last_asked_at: string;
  /** The newest 5. */
  examples: UnansweredExample[];
};

export type UnansweredQuestions = {
  /** The number of groups, without the limit. */
  total: number;
  /** False if the team has more than 20,000 answers of 30 days, or the bot more than 300 unanswered questions: only the newest ones count. */
  complete: boolean;
  /** The most frequent question first. */
  groups: UnansweredGroup[];
};

export type UnknownTypeDetails = {
  reason: "unknown_type";
  supported: string[];
};

export type UpdateApiKey = {
  name?: string | undefined;
  is_active?: boolean | undefined;
};

export type UpdateBot = {
  name?: string | undefined;
  description?: string | undefined;
  instructions?: string | undefined;
  temperature?: number | undefined;
  /** The name that the bot uses for itself. If empty, it uses `name`. */
  identification_name?: string | undefined;
  questions?: BotQuestionInput[] | undefined;
  document_ids?: string[] | undefined;
  allow_human?: boolean | undefined;
  actions?: BotActionInput[] | undefined;
  use_audio_responses?: boolean | undefined;
  allow_user_audio_requests?: boolean | undefined;
  capture_payments?: boolean | undefined;
  break_lines?: boolean | undefined;
  chat_model_level?: number | undefined;
  purpose?: string | null | undefined;
  /** How contacts of this bot learn that a machine answers, instead of the setting of the team. */
  disclosure?: Disclosure | null | undefined;
  answer_max_age_minutes?: number | null | undefined;
  /** The `updated_at` of the object that the changes are based on. If the object changed since, nothing is changed, and the error `changed_meanwhile` shows both values. */
  expected_updated_at?: string | undefined;
};

export type UpdateCase = {
  name?: string | undefined;
  /** Oldest first. The bot replies to the last ones of the contact. */
  messages?: CaseMessage[] | undefined;
  /** What must hold for the reply. */
  checks?: Check[] | undefined;
  /** Runs leave out cases that are not. */
  enabled?: boolean | undefined;
  /** The `updated_at` of the object that the changes are based on. If the object changed since, nothing is changed, and the error `changed_meanwhile` shows both values. */
  expected_updated_at?: string | undefined;
};

export type UpdateContact = {
  /** Needed with a key of scope `global`. */
  team_id?: string | undefined;
  name?: string | null | undefined;
  /** What the team keeps about the contact, such as `{"birthday": "3 May"}`: at most 50 fields with names of 1 to 60 characters. */
  fields?: Record<string, string> | undefined;
  labels?: string[] | undefined;
  note?: string | undefined;
  /** Messages of the contact are stored. The bot does not answer them. */
  blocked?: boolean | undefined;
  expected_updated_at?: string | null | undefined;
};

export type UpdateDevice = {
  name?: string | undefined;
  bot_id?: string | undefined;
  web_chat?: {
    /** The websites that may show the chat, as browsers send them, like `https://shop.example`. */
    allowed_origins?: string[] | undefined;
    /** The name in the head of the chat. Empty: the name of the brand, or of the device. */
    title?: string | undefined;
    /** Empty: the colour of the brand. */
    color?: string | undefined;
    /** What the chat says before the first message. Empty: a short greeting. */
    greeting?: string | undefined;
    /** Whether only visitors whom the website has signed may write. */
    signed_visitors_only?: boolean | undefined;
    /** Replaces the key in the script tag. Pages with the earlier key show no chat any more. Choose it at random. */
    site_key?: string | undefined;
  } | undefined;
  default_template?: DefaultTemplate | null | undefined;
  missed_call_reply?: string | null | undefined;
  /** The `updated_at` of the object that the changes are based on. If the object changed since, nothing is changed, and the error `changed_meanwhile` shows both values. */
  expected_updated_at?: string | undefined;
};

export type UpdateTeam = {
  name?: string | undefined;
  plan_name?: string | undefined;
  paying?: boolean | undefined;
  banned?: boolean | undefined;
  quotas?: QuotaOverrides | undefined;
  settings?: TeamSettingsUpdate | undefined;
  /** The `updated_at` of the object that the changes are based on. If the object changed since, nothing is changed, and the error `changed_meanwhile` shows both values. */
  expected_updated_at?: string | undefined;
};

export type UpdateTeamMember = {
  name?: string | undefined;
  phone?: string | null | undefined;
  picture?: string | null | undefined;
  role?: "viewer" | "agent" | "editor" | "owner" | undefined;
};

export type UpdateUser = {
  name?: string | undefined;
  phone?: string | null | undefined;
  picture?: string | null | undefined;
  role?: "support" | "admin" | "owner" | undefined;
};

export type UpdateWebhook = {
  /** An http or https URL. Private hosts need `WEBHOOK_ALLOWED_HOSTS`. */
  url?: string | undefined;
  /** The types to deliver, or only `*` for all. */
  events?: ("*" | "device.connected" | "device.disconnected" | "device.qr" | "device.restricted" | "device.logged_out" | "message.received" | "call.missed" | "message.sent" | "message.delivered" | "message.read" | "message.failed" | "conversation.paused" | "conversation.resumed" | "conversation.human_requested" | "conversation.unanswered" | "contact.opted_out" | "contact.opted_in" | "contact.automated" | "bot.published" | "bot.publish_failed" | "run.finished" | "action.failed" | "document.ready" | "document.failed" | "template.updated" | "payment.captured" | "team.created" | "team.updated" | "team.deleted" | "quota.warning" | "quota.reached" | "credits.exhausted" | "webhook.disabled")[] | undefined;
  /** A note for people. */
  description?: string | undefined;
  /** Enabling delivers the events that were queued before the webhook was disabled. */
  enabled?: boolean | undefined;
  /** Whether events of one conversation wait until the earlier ones are delivered or have failed. */
  ordered?: boolean | undefined;
  /** Whether deliveries carry only the ids in `data`, and neither texts nor numbers of contacts. */
  thin?: boolean | undefined;
  /** The `updated_at` of the object that the changes are based on. If the object changed since, nothing is changed, and the error `changed_meanwhile` shows both values. */
  expected_updated_at?: string | undefined;
};

export type UploadDocument = {
  /** pdf, txt, docx or doc, or as an extension md, html, csv, xlsx or pptx; the content must match the extension. From 1 byte to 20 MiB, or the limit of the deployment (`MAX_UPLOAD_BYTES`). */
  file: Upload;
  team_id: string;
  /** Default: counted from the text. */
  chars?: number | undefined;
};

export type UploadedDocument = {
  id: string;
  team_id: string;
  /** File name. */
  name: string;
  type: "pdf" | "txt" | "docx" | "doc" | "md" | "html" | "csv" | "xlsx" | "pptx";
  /** Bytes. */
  size: number;
  ai_provider_id: string;
  /** Storage path `<team_id>/<ai_provider_id>.<type>`; not a URL. */
  file_url: string;
  chars: number;
  /** Whether the AI provider has read it. Publishing a bot requires ready documents. */
  provider_status: "processing" | "ready" | "failed";
  created_at: string;
  updated_at: string;
  /** Up to 5 documents of the team that are nearly the same, most similar first. Bots prefer the newest of them. Absent if there is none. */
  similar_documents?: ({
    id: string;
    name: string;
  })[] | undefined;
};

export type User = {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  created_at: string;
};

export type ValidationDetails = {
  reason: "validation";
  issues: ({
    path: string;
    message: string;
  })[];
  /** There are more problems than `issues` lists. A list or map over its limit counts as one. */
  more_issues?: true | undefined;
};

export type WaitingConversations = {
  /** Conversations with messages that the bot did not answer because it was not published, had no credits, or failed. */
  waiting: number;
  /** Conversations whose answer is due or in progress. */
  answering: number;
  /** Whether the bot goes through those that wait. */
  running: boolean;
};

/** The chat on a website. Null on other networks. */
export type WebChat = {
  /** The websites that may show the chat, as browsers send them, like `https://shop.example`. */
  allowed_origins: string[];
  /** The name in the head of the chat. Empty: the name of the brand, or of the device. */
  title: string;
  /** Empty: the colour of the brand. */
  color: string;
  /** What the chat says before the first message. Empty: a short greeting. */
  greeting: string;
  /** Whether only visitors whom the website has signed may write. */
  signed_visitors_only: boolean;
  /** Names the chat in the script tag. At first the id of the device. */
  site_key: string;
  /** The key with which the website signs the ids of its visitors: HMAC-SHA256, in hex. Revoking the token of the device replaces it. Empty for roles below editor. */
  visitor_secret: string;
};

export type Webhook = {
  id: string;
  team_id: string | null;
  /** An http or https URL. Private hosts need `WEBHOOK_ALLOWED_HOSTS`. */
  url: string;
  /** The types to deliver, or only `*` for all. */
  events: ("*" | "device.connected" | "device.disconnected" | "device.qr" | "device.restricted" | "device.logged_out" | "message.received" | "call.missed" | "message.sent" | "message.delivered" | "message.read" | "message.failed" | "conversation.paused" | "conversation.resumed" | "conversation.human_requested" | "conversation.unanswered" | "contact.opted_out" | "contact.opted_in" | "contact.automated" | "bot.published" | "bot.publish_failed" | "run.finished" | "action.failed" | "document.ready" | "document.failed" | "template.updated" | "payment.captured" | "team.created" | "team.updated" | "team.deleted" | "quota.warning" | "quota.reached" | "credits.exhausted" | "webhook.disabled")[];
  /** A note for people. */
  description: string;
  enabled: boolean;
  /** Whether events of one conversation wait until the earlier ones are delivered or have failed. */
  ordered: boolean;
  /** Whether deliveries carry only the ids in `data`, and neither texts nor numbers of contacts. */
  thin: boolean;
  disabled_reason: "gone" | "failing" | null;
  disabled_at: string | null;
  failing_since: string | null;
  created_at: string;
  updated_at: string;
};

export type WebhookDelivery = {
  event_id: string;
  type: string;
  status: "pending" | "delivered" | "failed";
  attempts: number;
  next_attempt_at: string | null;
  last_attempt_at: string | null;
  response_status: number | null;
  error: string | null;
  /** The body of the request, as JSON. */
  payload: string;
  created_at: string;
};

/** A webhook was disabled because its receiver failed */
export type WebhookDisabledEvent = {
  id: string;
  type: "webhook.disabled";
  created_at: string;
  team_id: string | null;
  data: {
    webhook_id: string;
    url: string;
    reason: "gone" | "failing";
  };
};

export type WebhookTest = {
  delivered: boolean;
  response_status: number | null;
  error: string | null;
  duration_ms: number;
};

/** Sent on request, to test a webhook */
export type WebhookTestEvent = {
  id: string;
  type: "webhook.test";
  created_at: string;
  team_id: string | null;
  data: {
    webhook_id: string;
  };
};

export type WindowClosedDetails = {
  reason: "window_closed";
  /** Approved templates whose only variable could take the text. At most 20. */
  templates: ({
    name: string;
    language: string;
  })[];
};

export type WriteMessage = {
  text: string;
};



export type SignOutResult = {
  message: string;
};

export type SignInWithPasswordInput = SignInWithPassword;

export type ChangePasswordInput = ChangePassword;

export type SetUpInput = SetUp;

export type ReadInvitationInput = ReadInvitation;

export type AcceptInvitationInput = AcceptInvitation;

export type SignInWithLinkInput = SignInWithLink;

export type RequestSignInCodeInput = RequestSignInCode;

export type SignInWithCodeInput = SignInWithCode;

export type RequestRecoveryLinkInput = RequestRecoveryLink;
export type RequestRecoveryLinkResult = {
  message: string;
};


export type SignInWithOidcInput = SignInWithOidc;

export type StartSecondFactorInput = FreshProof;

export type ConfirmSecondFactorInput = ConfirmSecondFactor;

export type DeleteSecondFactorInput = DeleteSecondFactor;
export type DeleteSecondFactorResult = {
  message: string;
};

export type StartPasskeyInput = FreshProof;

export type CreatePasskeyInput = NewPasskey;


export interface DeletePasskeyInput {
  id: string;
}
export type DeletePasskeyResult = {
  message: string;
};


export type SignInWithPasskeyInput = PasskeySignIn;

export type OpenPortalInput = OpenPortal;


export type EndOtherSessionsResult = {
  message: string;
};

export interface EndSessionInput {
  id: string;
}
export type EndSessionResult = {
  message: string;
};


export type PutAlertSettingsInput = PutAlertSettings;

export type AddPushSubscriptionInput = AddPushSubscription;

export interface DeletePushSubscriptionInput {
  id: string;
}
export type DeletePushSubscriptionResult = {
  message: string;
};

export type CreateApiKeyInput = CreateApiKey;
export type CreateApiKeyResult = {
  key_id: string;
  /** Only this response contains it. */
  key_secret: string;
  name: string;
  created_at: string;
};


export interface GetApiKeyInput {
  keyId: string;
}

export type UpdateApiKeyInput = {
  keyId: string;
} & UpdateApiKey;

export interface DeleteApiKeyInput {
  keyId: string;
}
export type DeleteApiKeyResult = {
  message: string;
};

export interface ListEventsInput {
  after?: string | undefined;
  limit?: number | undefined;
  types?: string | undefined;
  team_id?: string | undefined;
}

export interface ListAuditLogInput {
  page?: number | undefined;
  limit?: number | undefined;
  team_id?: string | undefined;
  key_id?: string | undefined;
  user_id?: string | undefined;
  object_id?: string | undefined;
  operation?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

export interface ListPlansInput {
  page?: number | undefined;
  limit?: number | undefined;
}

export type PutPlanInput = {
  name: string;
} & PutPlan;

export interface DeletePlanInput {
  name: string;
}
export type DeletePlanResult = {
  message: string;
};

export type CreateTeamMemberInput = {
  id: string;
} & CreateTeamMember;

export interface ListTeamMembersInput {
  page?: number | undefined;
  limit?: number | undefined;
  id: string;
}

export interface InviteTeamMemberInput {
  id: string;
  userId: string;
}

export type UpdateTeamMemberInput = {
  id: string;
  userId: string;
} & UpdateTeamMember;

export interface DeleteTeamMemberInput {
  id: string;
  userId: string;
}
export type DeleteTeamMemberResult = {
  message: string;
};

export type CreateUserInput = CreateUser;

export interface ListUsersInput {
  page?: number | undefined;
  limit?: number | undefined;
}

export interface InviteUserInput {
  id: string;
}

export type UpdateUserInput = {
  id: string;
} & UpdateUser;

export interface DeleteUserInput {
  id: string;
}
export type DeleteUserResult = {
  message: string;
};

export interface GetBrandInput {
  id: string;
}

export type PutBrandInput = {
  id: string;
} & PutBrand;

export interface GetHostInput {
  name: string;
}

export type PutHostInput = {
  name: string;
} & PutHost;

export interface DeleteHostInput {
  name: string;
}
export type DeleteHostResult = {
  message: string;
};

export type CreatePortalLinkInput = CreatePortalLink;

export type CreateTeamInput = CreateTeam;
export type CreateTeamResult = {
  team: Team;
  user: User;
};

export interface ListTeamsInput {
  page?: number | undefined;
  limit?: number | undefined;
  since?: string | undefined;
  until?: string | undefined;
  after?: string | undefined;
  name?: string | undefined;
  paying?: boolean | undefined;
  plan_name?: string | undefined;
}

export interface GetTeamInput {
  id: string;
}

export type UpdateTeamInput = {
  id: string;
} & UpdateTeam;

export interface DeleteTeamInput {
  id: string;
}
export type DeleteTeamResult = {
  message: string;
};

export interface GetTeamUsageInput {
  month?: string | undefined;
  id: string;
}


export interface GetComplianceInput {
  days?: number | undefined;
  id: string;
}

export type UploadDocumentInput = UploadDocument;

export interface ListDocumentsInput {
  page?: number | undefined;
  limit?: number | undefined;
  since?: string | undefined;
  until?: string | undefined;
  after?: string | undefined;
  team_id?: string | undefined;
  name?: string | undefined;
  type?: "pdf" | "txt" | "docx" | "doc" | "md" | "html" | "csv" | "xlsx" | "pptx" | undefined;
}

export interface GetDocumentInput {
  id: string;
}

export type RenameDocumentInput = {
  id: string;
} & RenameDocument;
export type RenameDocumentResult = {
  data: Document;
  meta: DocumentChanges;
};

export interface DeleteDocumentInput {
  id: string;
}
export type DeleteDocumentResult = {
  message: string;
};

export interface GetDocumentContentInput {
  id: string;
}

export type CreateBotInput = CreateBot;

export interface ListBotsInput {
  page?: number | undefined;
  limit?: number | undefined;
  since?: string | undefined;
  until?: string | undefined;
  after?: string | undefined;
  team_id?: string | undefined;
  name?: string | undefined;
  published?: boolean | undefined;
  document_id?: string | undefined;
}

export interface GetBotInput {
  id: string;
}

export type UpdateBotInput = {
  id: string;
} & UpdateBot;

export interface DeleteBotInput {
  id: string;
}
export type DeleteBotResult = {
  message: string;
};

export type PublishBotInput = {
  id: string;
} & PublishBot;
export type PublishBotResult = {
  id: string;
  published: boolean;
  message: string;
};

export interface ListBotVersionsInput {
  page?: number | undefined;
  limit?: number | undefined;
  id: string;
}

export interface GetBotVersionInput {
  id: string;
  version: string;
}

export interface RestoreBotVersionInput {
  id: string;
  version: string;
}

export interface ListCasesInput {
  page?: number | undefined;
  limit?: number | undefined;
  since?: string | undefined;
  until?: string | undefined;
  after?: string | undefined;
  id: string;
}

export type CreateCaseInput = {
  id: string;
} & CreateCase;

export type ImportCasesInput = {
  id: string;
} & ImportCases;

export interface ProposeCasesInput {
  id: string;
}

export interface GetCaseInput {
  id: string;
  caseId: string;
}

export type UpdateCaseInput = {
  id: string;
  caseId: string;
} & UpdateCase;

export interface DeleteCaseInput {
  id: string;
  caseId: string;
}
export type DeleteCaseResult = {
  message: string;
};

export type CreateRunInput = {
  id: string;
} & CreateRun;

export interface ListRunsInput {
  page?: number | undefined;
  limit?: number | undefined;
  since?: string | undefined;
  until?: string | undefined;
  after?: string | undefined;
  id: string;
}

export interface GetRunInput {
  id: string;
}

export interface ListRunResultsInput {
  page?: number | undefined;
  limit?: number | undefined;
  outcome?: "passed" | "failed" | "warned" | undefined;
  changed?: boolean | undefined;
  worse?: boolean | undefined;
  id: string;
}

export interface GetGateInput {
  id: string;
}

export type PutGateInput = {
  id: string;
} & PutGate;

export interface DeleteGateInput {
  id: string;
}
export type DeleteGateResult = {
  message: string;
};

export interface GetPreviewInput {
  id: string;
}

export type SetPreviewInput = {
  id: string;
} & SetPreview;

export interface GetBotHealthInput {
  id: string;
}

export interface GetBotAnalyticsInput {
  since?: string | undefined;
  until?: string | undefined;
  by?: "day" | "week" | "month" | undefined;
  id: string;
}

export interface GetTeamAnalyticsInput {
  since?: string | undefined;
  until?: string | undefined;
  by?: "day" | "week" | "month" | undefined;
  id: string;
}

export type CreateDeviceInput = CreateDevice;

export interface ListDevicesInput {
  page?: number | undefined;
  limit?: number | undefined;
  since?: string | undefined;
  until?: string | undefined;
  after?: string | undefined;
  team_id?: string | undefined;
  bot_id?: string | undefined;
  status?: "stopped" | "started" | undefined;
  connected?: boolean | undefined;
}

export interface GetDeviceInput {
  id: string;
}

export type UpdateDeviceInput = {
  id: string;
} & UpdateDevice;

export interface DeleteDeviceInput {
  id: string;
}
export type DeleteDeviceResult = {
  message: string;
};

export interface RevokeDeviceTokenInput {
  id: string;
}

export type ConnectDeviceInput = {
  id: string;
} & ConnectDevice;

export interface GetDeviceStatusInput {
  id: string;
}

export interface StopDeviceInput {
  id: string;
}

export interface LogoutDeviceInput {
  id: string;
}

export type PutDeviceCredentialsInput = {
  id: string;
} & Credentials;

export interface ListTemplatesInput {
  page?: number | undefined;
  limit?: number | undefined;
  since?: string | undefined;
  until?: string | undefined;
  after?: string | undefined;
  state?: "pending" | "approved" | "rejected" | "paused" | "disabled" | undefined;
  id: string;
}

export type CreateTemplateInput = {
  id: string;
} & CreateTemplate;

export interface DeleteTemplateInput {
  id: string;
  templateId: string;
}
export type DeleteTemplateResult = {
  message: string;
};

export type CreateDeviceLinkInput = {
  id: string;
} & CreateDeviceLink;

export interface DeleteDeviceLinkInput {
  id: string;
}
export type DeleteDeviceLinkResult = {
  message: string;
};

export type GetLinkStatusInput = LinkToken;

export type GetLinkBrandInput = LinkToken;

export type PutLinkCredentialsInput = LinkCredentials;

export type ConnectLinkInput = ConnectLink;

export interface ListPoolsInput {
  page?: number | undefined;
  limit?: number | undefined;
}

export interface DrainPoolInput {
  id: string;
}

export type ExportContactInput = {
  number: string;
} & ContactScope;

export type EraseContactInput = {
  number: string;
} & ContactScope;

export interface ListContactsInput {
  page?: number | undefined;
  limit?: number | undefined;
  since?: string | undefined;
  until?: string | undefined;
  after?: string | undefined;
  team_id?: string | undefined;
  label?: string | undefined;
  blocked?: boolean | undefined;
  q?: string | undefined;
}

export interface GetContactInput {
  team_id?: string | undefined;
  number: string;
}

export type UpdateContactInput = {
  number: string;
} & UpdateContact;

export interface GetConsentsInput {
  team_id?: string | undefined;
  number: string;
}

export type PutConsentInput = {
  number: string;
} & PutConsent;

export type ImportConsentsInput = ImportConsents;

export type CreateWebhookInput = CreateWebhook;

export interface ListWebhooksInput {
  page?: number | undefined;
  limit?: number | undefined;
  team_id?: string | undefined;
  failing?: boolean | undefined;
}

export interface GetWebhookInput {
  id: string;
}

export type UpdateWebhookInput = {
  id: string;
} & UpdateWebhook;

export interface DeleteWebhookInput {
  id: string;
}
export type DeleteWebhookResult = {
  message: string;
};

export interface RotateWebhookSecretInput {
  id: string;
}

export interface TestWebhookInput {
  id: string;
}

export interface ListWebhookDeliveriesInput {
  page?: number | undefined;
  limit?: number | undefined;
  status?: "pending" | "delivered" | "failed" | undefined;
  failing?: boolean | undefined;
  id: string;
}

export type ReplayWebhookInput = {
  id: string;
} & ReplayWebhook;

export interface ListMessagesInput {
  page?: number | undefined;
  limit?: number | undefined;
  since?: string | undefined;
  until?: string | undefined;
  after?: string | undefined;
  team_id?: string | undefined;
  device_id?: string | undefined;
  contact_number?: string | undefined;
  direction?: "in" | "out" | undefined;
  status?: "received" | "answered" | "ignored" | "accepted" | "sent" | "delivered" | "read" | "refused" | "unknown" | undefined;
}

export interface GetMessageInput {
  id: string;
}

export interface GetMessageMediaInput {
  id: string;
}

export interface GetActivityInput {
  hours?: number | undefined;
}

export interface GetAttentionInput {
  limit?: number | undefined;
}

export interface ListConversationsInput {
  page?: number | undefined;
  limit?: number | undefined;
  since?: string | undefined;
  until?: string | undefined;
  after?: string | undefined;
  team_id?: string | undefined;
  device_id?: string | undefined;
  state?: "bot" | "paused" | "closed" | undefined;
  bot_id?: string | undefined;
  flag?: "human_requested" | "out_of_credits" | "payment_captured" | "provider_failed" | "automated_contact" | "bot_not_published" | "unanswered" | "any" | undefined;
  outcome?: "waiting" | "answered" | "bot_not_published" | "team_banned" | "paused" | "rate_limited" | "automated_contact" | "contact_blocked" | "too_old" | "deleted" | "out_of_credits" | "provider_failed" | "audio_not_allowed" | "unsupported_content" | undefined;
  assignee?: string | undefined;
  rating?: "up" | "down" | undefined;
  label?: string | undefined;
  unread?: boolean | undefined;
  q?: string | undefined;
  contact_number?: string | undefined;
  sort?: "created_at" | "last_message_at" | undefined;
}

export interface GetConversationInput {
  id: string;
}

export interface ListConversationMessagesInput {
  page?: number | undefined;
  limit?: number | undefined;
  since?: string | undefined;
  until?: string | undefined;
  after?: string | undefined;
  id: string;
}

export type WriteToConversationInput = {
  id: string;
} & WriteMessage;

export interface PauseConversationInput {
  id: string;
}

export interface CloseConversationInput {
  id: string;
}

export interface AnswerConversationInput {
  id: string;
}

export interface MarkConversationReadInput {
  id: string;
}

export interface ResumeConversationInput {
  id: string;
}

export type SendFileToConversationInput = {
  id: string;
} & SendFileToConversation;

export type AssignConversationInput = {
  id: string;
} & AssignConversation;

export type LabelConversationInput = {
  id: string;
} & LabelConversation;

export type CreateNoteInput = {
  id: string;
} & CreateNote;

export interface ListNotesInput {
  page?: number | undefined;
  limit?: number | undefined;
  since?: string | undefined;
  until?: string | undefined;
  after?: string | undefined;
  id: string;
}

export interface NoteTypingInput {
  id: string;
}
export type NoteTypingResult = {
  message: string;
};

export interface GetSavedRepliesInput {
  id: string;
}

export type PutSavedRepliesInput = {
  id: string;
} & PutSavedReplies;

export interface GetHoursInput {
  id: string;
}

export type PutHoursInput = {
  id: string;
} & PutHours;

export type SendMessageInput = SendMessage;

export interface GetMessageAnswerInput {
  id: string;
}

export type RateMessageInput = {
  id: string;
} & RateMessage;

export interface GetUnansweredQuestionsInput {
  limit?: number | undefined;
  id: string;
}

export interface GetWaitingInput {
  id: string;
}

export interface AnswerWaitingInput {
  id: string;
}

export type AskBotInput = {
  id: string;
} & AskBot;

export type TryBotActionInput = {
  id: string;
  actionId: string;
} & TryAction;

/** One method for each operation of the API. */
export interface Operations {
  /** Read how people can sign in */
  getSignInMeans(input?: undefined, options?: CallOptions): Promise<SignInMeans>;
  /** Read who is signed in */
  getSession(input?: undefined, options?: CallOptions): Promise<Session>;
  /** Sign out */
  signOut(input?: undefined, options?: CallOptions): Promise<SignOutResult>;
  /** Sign in with a password */
  signInWithPassword(input: SignInWithPasswordInput, options?: CallOptions): Promise<Session>;
  /** Change the own password */
  changePassword(input: ChangePasswordInput, options?: CallOptions): Promise<Session>;
  /** Create the first owner of the deployment */
  setUp(input: SetUpInput, options?: CallOptions): Promise<Session>;
  /** Read an invitation */
  readInvitation(input: ReadInvitationInput, options?: CallOptions): Promise<Invitation>;
  /** Accept an invitation */
  acceptInvitation(input: AcceptInvitationInput, options?: CallOptions): Promise<Session>;
  /** Sign in with a link */
  signInWithLink(input: SignInWithLinkInput, options?: CallOptions): Promise<Session>;
  /** Ask for a code by e-mail */
  requestSignInCode(input: RequestSignInCodeInput, options?: CallOptions): Promise<CodeRequest>;
  /** Sign in with a code */
  signInWithCode(input: SignInWithCodeInput, options?: CallOptions): Promise<Session>;
  /** Ask for a link that sets a new password */
  requestRecoveryLink(input: RequestRecoveryLinkInput, options?: CallOptions): Promise<RequestRecoveryLinkResult>;
  /** Begin a sign-in at the identity provider */
  startOidc(input?: undefined, options?: CallOptions): Promise<OidcStart>;
  /** Sign in with the identity provider */
  signInWithOidc(input: SignInWithOidcInput, options?: CallOptions): Promise<Session>;
  /** Begin a second factor */
  startSecondFactor(input: StartSecondFactorInput, options?: CallOptions): Promise<StartedSecondFactor>;
  /** Confirm the second factor with a code */
  confirmSecondFactor(input: ConfirmSecondFactorInput, options?: CallOptions): Promise<RecoveryCodes>;
  /** Remove the second factor */
  deleteSecondFactor(input: DeleteSecondFactorInput, options?: CallOptions): Promise<DeleteSecondFactorResult>;
  /** Begin a passkey */
  startPasskey(input: StartPasskeyInput, options?: CallOptions): Promise<PasskeyCreation>;
  /** Add a passkey */
  createPasskey(input: CreatePasskeyInput, options?: CallOptions): Promise<Passkey>;
  /** List the own passkeys, newest first */
  listPasskeys(input?: undefined, options?: CallOptions): Promise<Passkey[]>;
  /** Remove one of the own passkeys */
  deletePasskey(input: DeletePasskeyInput, options?: CallOptions): Promise<DeletePasskeyResult>;
  /** Begin a sign-in with a passkey */
  startPasskeySignIn(input?: undefined, options?: CallOptions): Promise<PasskeyRequest>;
  /** Sign in with a passkey */
  signInWithPasskey(input: SignInWithPasskeyInput, options?: CallOptions): Promise<Session>;
  /** Begin a session with a portal link */
  openPortal(input: OpenPortalInput, options?: CallOptions): Promise<PortalSession>;
  /** List the own sessions, newest first */
  listSessions(input?: undefined, options?: CallOptions): Promise<SessionEntry[]>;
  /** End all other sessions */
  endOtherSessions(input?: undefined, options?: CallOptions): Promise<EndOtherSessionsResult>;
  /** End one of the own sessions */
  endSession(input: EndSessionInput, options?: CallOptions): Promise<EndSessionResult>;
  /** Read what the own person hears of */
  getAlertSettings(input?: undefined, options?: CallOptions): Promise<AlertSettings>;
  /** Choose what the own person hears of */
  putAlertSettings(input: PutAlertSettingsInput, options?: CallOptions): Promise<AlertSettings>;
  /** Show alerts in this browser */
  addPushSubscription(input: AddPushSubscriptionInput, options?: CallOptions): Promise<PushDevice>;
  /** Show alerts in a browser no longer */
  deletePushSubscription(input: DeletePushSubscriptionInput, options?: CallOptions): Promise<DeletePushSubscriptionResult>;
  /** Create an API key; its secret is shown once */
  createApiKey(input: CreateApiKeyInput, options?: CallOptions): Promise<CreateApiKeyResult>;
  /** List all API keys, newest first */
  listApiKeys(input?: undefined, options?: CallOptions): Promise<ApiKey[]>;
  /** Get an API key, without its secret */
  getApiKey(input: GetApiKeyInput, options?: CallOptions): Promise<ApiKey>;
  /** Rename, activate or deactivate an API key */
  updateApiKey(input: UpdateApiKeyInput, options?: CallOptions): Promise<ApiKey>;
  /** Delete an API key for good, and with it the tokens issued from it */
  deleteApiKey(input: DeleteApiKeyInput, options?: CallOptions): Promise<DeleteApiKeyResult>;
  /** List events, oldest first, or stream them live */
  listEvents(input?: ListEventsInput, options?: CallOptions): Pages<Event, EventsMeta>;
  /** List changes made over the API, newest first */
  listAuditLog(input?: ListAuditLogInput, options?: CallOptions): Pages<AuditEntry, PageMeta>;
  /** List plans, newest first */
  listPlans(input?: ListPlansInput, options?: CallOptions): Pages<Plan, PageMeta>;
  /** Create a plan or change its terms */
  putPlan(input: PutPlanInput, options?: CallOptions): Promise<Plan>;
  /** Delete a plan that no team is on */
  deletePlan(input: DeletePlanInput, options?: CallOptions): Promise<DeletePlanResult>;
  /** Add a member of a team */
  createTeamMember(input: CreateTeamMemberInput, options?: CallOptions): Promise<CreatedMember>;
  /** List the members of a team, newest first */
  listTeamMembers(input: ListTeamMembersInput, options?: CallOptions): Pages<Member, PageMeta>;
  /** Renew the invitation of a member of a team */
  inviteTeamMember(input: InviteTeamMemberInput, options?: CallOptions): Promise<MemberInvitation>;
  /** Change the name, the phone number or the role of a member of a team */
  updateTeamMember(input: UpdateTeamMemberInput, options?: CallOptions): Promise<Member>;
  /** Remove a member of a team */
  deleteTeamMember(input: DeleteTeamMemberInput, options?: CallOptions): Promise<DeleteTeamMemberResult>;
  /** Add a person of the partner's staff */
  createUser(input: CreateUserInput, options?: CallOptions): Promise<CreatedStaffMember>;
  /** List the partner's staff, newest first */
  listUsers(input?: ListUsersInput, options?: CallOptions): Pages<StaffMember, PageMeta>;
  /** Renew the invitation of a person of the partner's staff */
  inviteUser(input: InviteUserInput, options?: CallOptions): Promise<MemberInvitation>;
  /** Change the name, the phone number or the role of a person of the partner's staff */
  updateUser(input: UpdateUserInput, options?: CallOptions): Promise<StaffMember>;
  /** Remove a person of the partner's staff */
  deleteUser(input: DeleteUserInput, options?: CallOptions): Promise<DeleteUserResult>;
  /** Read the brand of a team */
  getBrand(input: GetBrandInput, options?: CallOptions): Promise<Brand>;
  /** Replace the brand of a team */
  putBrand(input: PutBrandInput, options?: CallOptions): Promise<Brand>;
  /** Read which team a host name belongs to */
  getHost(input: GetHostInput, options?: CallOptions): Promise<Host>;
  /** Show the brand of a team at a host name */
  putHost(input: PutHostInput, options?: CallOptions): Promise<Host>;
  /** Remove a host name */
  deleteHost(input: DeleteHostInput, options?: CallOptions): Promise<DeleteHostResult>;
  /** Create an address that opens the console for one team */
  createPortalLink(input: CreatePortalLinkInput, options?: CallOptions): Promise<PortalLink>;
  /** Create a team together with its administrator */
  createTeam(input: CreateTeamInput, options?: CallOptions): Promise<CreateTeamResult>;
  /** List teams, newest first */
  listTeams(input?: ListTeamsInput, options?: CallOptions): Pages<Team, PageMeta>;
  /** Get a team with its quotas and settings */
  getTeam(input: GetTeamInput, options?: CallOptions): Promise<TeamDetail>;
  /** Change a team: its name and settings, its plan and quotas, whether it pays or is banned */
  updateTeam(input: UpdateTeamInput, options?: CallOptions): Promise<TeamDetail>;
  /** Delete a team with all that belongs to it */
  deleteTeam(input: DeleteTeamInput, options?: CallOptions): Promise<DeleteTeamResult>;
  /** Get a team's use of its quotas, and its active messages, AI usage and message prices of a month */
  getTeamUsage(input: GetTeamUsageInput, options?: CallOptions): Promise<TeamUsage>;
  /** Get the quotas that teams have used to 80% or more, the fullest first */
  getQuotaWarnings(input?: undefined, options?: CallOptions): Promise<QuotaWarnings>;
  /** Get what the papers of a team need: notices, opt-outs, people, retention, erasures, recipients */
  getCompliance(input: GetComplianceInput, options?: CallOptions): Promise<Compliance>;
  /** Upload a document */
  uploadDocument(input: UploadDocumentInput, options?: CallOptions): Promise<UploadedDocument>;
  /** List documents, newest first */
  listDocuments(input?: ListDocumentsInput, options?: CallOptions): Pages<Document, PageMeta>;
  /** Get a document */
  getDocument(input: GetDocumentInput, options?: CallOptions): Promise<Document>;
  /** Rename a document */
  renameDocument(input: RenameDocumentInput, options?: CallOptions): Promise<RenameDocumentResult>;
  /** Delete a document */
  deleteDocument(input: DeleteDocumentInput, options?: CallOptions): Promise<DeleteDocumentResult>;
  /** Get a document's file */
  getDocumentContent(input: GetDocumentContentInput, options?: CallOptions): Promise<Response>;
  /** Create a bot, with its assistant and knowledge store at the AI provider */
  createBot(input: CreateBotInput, options?: CallOptions): Promise<Bot>;
  /** List bots, newest first */
  listBots(input?: ListBotsInput, options?: CallOptions): Pages<Bot, PageMeta>;
  /** Get a bot with its questions, actions and documents */
  getBot(input: GetBotInput, options?: CallOptions): Promise<BotDetail>;
  /** Update a bot, which becomes unpublished */
  updateBot(input: UpdateBotInput, options?: CallOptions): Promise<Bot>;
  /** Delete a bot that no device is linked to */
  deleteBot(input: DeleteBotInput, options?: CallOptions): Promise<DeleteBotResult>;
  /** Publish a bot to the AI provider and its devices */
  publishBot(input: PublishBotInput, options?: CallOptions): Promise<PublishBotResult>;
  /** List the published versions of a bot, newest first */
  listBotVersions(input: ListBotVersionsInput, options?: CallOptions): Pages<BotVersion, PageMeta>;
  /** Get a published version of a bot with its questions and actions */
  getBotVersion(input: GetBotVersionInput, options?: CallOptions): Promise<BotVersionDetail>;
  /** Copy a published version into the draft; the bot becomes unpublished */
  restoreBotVersion(input: RestoreBotVersionInput, options?: CallOptions): Promise<Bot>;
  /** List the cases of a bot, newest first */
  listCases(input: ListCasesInput, options?: CallOptions): Pages<Case, PageMeta>;
  /** Add a case to a bot */
  createCase(input: CreateCaseInput, options?: CallOptions): Promise<Case>;
  /** Import cases of a bot from a CSV */
  importCases(input: ImportCasesInput, options?: CallOptions): Promise<ImportedCases>;
  /** Add a case for each pair, action and heading of the draft of a bot */
  proposeCases(input: ProposeCasesInput, options?: CallOptions): Promise<ProposedCases>;
  /** Get a case of a bot */
  getCase(input: GetCaseInput, options?: CallOptions): Promise<Case>;
  /** Change a case of a bot */
  updateCase(input: UpdateCaseInput, options?: CallOptions): Promise<Case>;
  /** Delete a case of a bot */
  deleteCase(input: DeleteCaseInput, options?: CallOptions): Promise<DeleteCaseResult>;
  /** Run the cases of a bot, or the newest questions of contacts */
  createRun(input: CreateRunInput, options?: CallOptions): Promise<Run>;
  /** List the runs of a bot, newest first */
  listRuns(input: ListRunsInput, options?: CallOptions): Pages<Run, PageMeta>;
  /** Get a run with its progress and counts */
  getRun(input: GetRunInput, options?: CallOptions): Promise<Run>;
  /** List the old and new answers of a run */
  listRunResults(input: ListRunResultsInput, options?: CallOptions): Pages<RunResult, PageMeta>;
  /** Get the gate of a bot */
  getGate(input: GetGateInput, options?: CallOptions): Promise<BotGate>;
  /** Set what a draft must pass before it is published */
  putGate(input: PutGateInput, options?: CallOptions): Promise<BotGate>;
  /** Remove the gate of a bot */
  deleteGate(input: DeleteGateInput, options?: CallOptions): Promise<DeleteGateResult>;
  /** Get the contacts who get the draft of a bot */
  getPreview(input: GetPreviewInput, options?: CallOptions): Promise<Preview>;
  /** Let contacts get the draft of a bot */
  setPreview(input: SetPreviewInput, options?: CallOptions): Promise<Preview>;
  /** Get duplicates, contradictions, stale and unused content of a bot */
  getBotHealth(input: GetBotHealthInput, options?: CallOptions): Promise<Health>;
  /** Get how a bot answered, by day, week or month */
  getBotAnalytics(input: GetBotAnalyticsInput, options?: CallOptions): Promise<Analytics>;
  /** Get how the bots of a team answered, by day, week or month */
  getTeamAnalytics(input: GetTeamAnalyticsInput, options?: CallOptions): Promise<Analytics>;
  /** Create a stopped device on the pool with the most free places */
  createDevice(input: CreateDeviceInput, options?: CallOptions): Promise<Device>;
  /** List devices, newest first */
  listDevices(input?: ListDevicesInput, options?: CallOptions): Pages<Device, PageMeta>;
  /** Get a device */
  getDevice(input: GetDeviceInput, options?: CallOptions): Promise<Device>;
  /** Rename a device or bind it to another bot */
  updateDevice(input: UpdateDeviceInput, options?: CallOptions): Promise<Device>;
  /** Delete a stopped device; a linked one is unlinked from its phone */
  deleteDevice(input: DeleteDeviceInput, options?: CallOptions): Promise<DeleteDeviceResult>;
  /** Replace the token of a device; the old one is invalid at once */
  revokeDeviceToken(input: RevokeDeviceTokenInput, options?: CallOptions): Promise<Device>;
  /** Start the connection; returns when there is a code for the phone, or after 10 seconds */
  connectDevice(input: ConnectDeviceInput, options?: CallOptions): Promise<StartedConnection>;
  /** Get the connection status, with the QR code while there is one to scan */
  getDeviceStatus(input: GetDeviceStatusInput, options?: CallOptions): Promise<ConnectionStatus>;
  /** End the connection; the phone stays linked */
  stopDevice(input: StopDeviceInput, options?: CallOptions): Promise<Device>;
  /** End the connection and unlink the phone */
  logoutDevice(input: LogoutDeviceInput, options?: CallOptions): Promise<Device>;
  /** Store the credentials with which a stopped device connects to its network */
  putDeviceCredentials(input: PutDeviceCredentialsInput, options?: CallOptions): Promise<StoredCredentials>;
  /** List the templates of a device, newest first */
  listTemplates(input: ListTemplatesInput, options?: CallOptions): Pages<DeviceTemplate, PageMeta>;
  /** Ask the network to review a template */
  createTemplate(input: CreateTemplateInput, options?: CallOptions): Promise<DeviceTemplate>;
  /** Delete a template at the network */
  deleteTemplate(input: DeleteTemplateInput, options?: CallOptions): Promise<DeleteTemplateResult>;
  /** Create an address at which a person links a phone without a login */
  createDeviceLink(input: CreateDeviceLinkInput, options?: CallOptions): Promise<DeviceLink>;
  /** End the address at which a phone can be linked */
  deleteDeviceLink(input: DeleteDeviceLinkInput, options?: CallOptions): Promise<DeleteDeviceLinkResult>;
  /** Get the progress of linking a phone with the token of a link */
  getLinkStatus(input: GetLinkStatusInput, options?: CallOptions): Promise<LinkStatus>;
  /** Get the brand of the team with the token of a link */
  getLinkBrand(input: GetLinkBrandInput, options?: CallOptions): Promise<Brand>;
  /** Store the credentials of a device with the token of a link, and connect with them */
  putLinkCredentials(input: PutLinkCredentialsInput, options?: CallOptions): Promise<LinkStatus>;
  /** Start the connection with the token of a link, unless it is started */
  connectLink(input: ConnectLinkInput, options?: CallOptions): Promise<LinkStatus>;
  /** List pools, newest first: their places, devices and leases */
  listPools(input?: ListPoolsInput, options?: CallOptions): Pages<Pool, PageMeta>;
  /** Empty a pool, which keeps running */
  drainPool(input: DrainPoolInput, options?: CallOptions): Promise<Pool>;
  /** Export everything that is stored about a contact */
  exportContact(input: ExportContactInput, options?: CallOptions): Promise<ContactExport>;
  /** Delete everything that is stored about a contact */
  eraseContact(input: EraseContactInput, options?: CallOptions): Promise<ErasedContact>;
  /** List contacts, newest first */
  listContacts(input?: ListContactsInput, options?: CallOptions): Pages<Contact, PageMeta>;
  /** Get what a team knows about a contact */
  getContact(input: GetContactInput, options?: CallOptions): Promise<FoundContact>;
  /** Change what a team knows about a contact */
  updateContact(input: UpdateContactInput, options?: CallOptions): Promise<Contact>;
  /** Get what a contact decided about active messages, newest first */
  getConsents(input: GetConsentsInput, options?: CallOptions): Promise<Consent[]>;
  /** Record what a contact decided about active messages, newest first */
  putConsent(input: PutConsentInput, options?: CallOptions): Promise<Consent[]>;
  /** Import what contacts decided, from a CSV */
  importConsents(input: ImportConsentsInput, options?: CallOptions): Promise<ImportedConsents>;
  /** Create a webhook; its secret is shown once */
  createWebhook(input: CreateWebhookInput, options?: CallOptions): Promise<CreatedWebhook>;
  /** List webhooks, newest first */
  listWebhooks(input?: ListWebhooksInput, options?: CallOptions): Pages<Webhook, PageMeta>;
  /** Get a webhook */
  getWebhook(input: GetWebhookInput, options?: CallOptions): Promise<Webhook>;
  /** Change a webhook */
  updateWebhook(input: UpdateWebhookInput, options?: CallOptions): Promise<Webhook>;
  /** Delete a webhook and its deliveries */
  deleteWebhook(input: DeleteWebhookInput, options?: CallOptions): Promise<DeleteWebhookResult>;
  /** Create a new secret; both sign for 24 hours */
  rotateWebhookSecret(input: RotateWebhookSecretInput, options?: CallOptions): Promise<RotatedWebhookSecret>;
  /** Post a test event and report the response */
  testWebhook(input: TestWebhookInput, options?: CallOptions): Promise<WebhookTest>;
  /** List the deliveries of a webhook, newest first */
  listWebhookDeliveries(input: ListWebhookDeliveriesInput, options?: CallOptions): Pages<WebhookDelivery, PageMeta>;
  /** Deliver one event again, or all events since a time */
  replayWebhook(input: ReplayWebhookInput, options?: CallOptions): Promise<Replayed>;
  /** List messages in both directions, newest first */
  listMessages(input?: ListMessagesInput, options?: CallOptions): Pages<MessageRecord, PageMeta>;
  /** Get a message with its delivery status or its outcome */
  getMessage(input: GetMessageInput, options?: CallOptions): Promise<MessageRecord>;
  /** Get a message's file */
  getMessageMedia(input: GetMessageMediaInput, options?: CallOptions): Promise<Response>;
  /** Count the messages of each of the last hours, the oldest first */
  getActivity(input?: GetActivityInput, options?: CallOptions): Promise<Activity>;
  /** Count what needs attention, with the first items of each kind */
  getAttention(input?: GetAttentionInput, options?: CallOptions): Promise<Attention>;
  /** List conversations, newest first */
  listConversations(input?: ListConversationsInput, options?: CallOptions): Pages<Conversation, PageMeta>;
  /** Get a conversation */
  getConversation(input: GetConversationInput, options?: CallOptions): Promise<Conversation>;
  /** List the messages of a conversation in both directions, newest first */
  listConversationMessages(input: ListConversationMessagesInput, options?: CallOptions): Pages<MessageRecord, PageMeta>;
  /** Answer in a conversation as a person */
  writeToConversation(input: WriteToConversationInput, options?: CallOptions): Promise<MessageRecord>;
  /** Pause the bot in a conversation until it is resumed */
  pauseConversation(input: PauseConversationInput, options?: CallOptions): Promise<Conversation>;
  /** Close a conversation */
  closeConversation(input: CloseConversationInput, options?: CallOptions): Promise<Conversation>;
  /** Let the bot answer the messages that wait in a conversation */
  answerConversation(input: AnswerConversationInput, options?: CallOptions): Promise<Conversation>;
  /** Mark the messages of a conversation as read */
  markConversationRead(input: MarkConversationReadInput, options?: CallOptions): Promise<Conversation>;
  /** Let the bot answer in a conversation again */
  resumeConversation(input: ResumeConversationInput, options?: CallOptions): Promise<Conversation>;
  /** Send a file in a conversation as a person */
  sendFileToConversation(input: SendFileToConversationInput, options?: CallOptions): Promise<MessageRecord>;
  /** Say who takes care of a conversation */
  assignConversation(input: AssignConversationInput, options?: CallOptions): Promise<Conversation>;
  /** Set the labels of a conversation */
  labelConversation(input: LabelConversationInput, options?: CallOptions): Promise<Conversation>;
  /** Add a note to a conversation */
  createNote(input: CreateNoteInput, options?: CallOptions): Promise<Note>;
  /** List the notes of a conversation, newest first */
  listNotes(input: ListNotesInput, options?: CallOptions): Pages<Note, PageMeta>;
  /** Show colleagues that you write in a conversation */
  noteTyping(input: NoteTypingInput, options?: CallOptions): Promise<NoteTypingResult>;
  /** Get the saved replies of a team */
  getSavedReplies(input: GetSavedRepliesInput, options?: CallOptions): Promise<StoredReplies>;
  /** Set the saved replies of a team */
  putSavedReplies(input: PutSavedRepliesInput, options?: CallOptions): Promise<StoredReplies>;
  /** Get the opening hours of a team */
  getHours(input: GetHoursInput, options?: CallOptions): Promise<StoredHours>;
  /** Set the opening hours of a team */
  putHours(input: PutHoursInput, options?: CallOptions): Promise<StoredHours>;
  /** Send an active message through a connected device */
  sendMessage(input: SendMessageInput, options?: CallOptions): Promise<SentMessage>;
  /** Get the trace of the answer that a message belongs to */
  getMessageAnswer(input: GetMessageAnswerInput, options?: CallOptions): Promise<MessageAnswer>;
  /** Rate an answer of the bot */
  rateMessage(input: RateMessageInput, options?: CallOptions): Promise<MessageRecord>;
  /** Group by meaning what contacts asked and the bot could not answer */
  getUnansweredQuestions(input: GetUnansweredQuestionsInput, options?: CallOptions): Promise<UnansweredQuestions>;
  /** Count the conversations that wait for an answer of a bot */
  getWaiting(input: GetWaitingInput, options?: CallOptions): Promise<WaitingConversations>;
  /** Let a bot answer all conversations that wait */
  answerWaiting(input: AnswerWaitingInput, options?: CallOptions): Promise<WaitingConversations>;
  /** Ask a bot one question, without a device */
  askBot(input: AskBotInput, options?: CallOptions): Promise<BotAnswer>;
  /** Call an action of a bot's draft and report its result */
  tryBotAction(input: TryBotActionInput, options?: CallOptions): Promise<TriedAction>;
}

/** Method, path and traits of each operation. */
export const operations = {
  getSignInMeans: 'GET /session/means',
  getSession: 'GET /session',
  signOut: 'DELETE /session',
  signInWithPassword: 'POST /session/password',
  changePassword: 'PUT /session/password',
  setUp: 'POST /session/setup',
  readInvitation: 'POST /session/invitation',
  acceptInvitation: 'POST /session/invitation/accept',
  signInWithLink: 'POST /session/reset',
  requestSignInCode: 'POST /session/code',
  signInWithCode: 'POST /session/code/verify',
  requestRecoveryLink: 'POST /session/recovery',
  startOidc: 'POST /session/oidc/start',
  signInWithOidc: 'POST /session/oidc',
  startSecondFactor: 'POST /session/totp',
  confirmSecondFactor: 'POST /session/totp/confirm',
  deleteSecondFactor: 'POST /session/totp/remove',
  startPasskey: 'POST /session/passkeys/options',
  createPasskey: 'POST /session/passkeys',
  listPasskeys: 'GET /session/passkeys',
  deletePasskey: 'DELETE /session/passkeys/{id}',
  startPasskeySignIn: 'POST /session/passkey/options',
  signInWithPasskey: 'POST /session/passkey',
  openPortal: 'POST /session/portal',
  listSessions: 'GET /session/list',
  endOtherSessions: 'DELETE /session/list',
  endSession: 'DELETE /session/list/{id}',
  getAlertSettings: 'GET /session/alerts',
  putAlertSettings: 'PUT /session/alerts',
  addPushSubscription: 'POST /session/alerts/devices',
  deletePushSubscription: 'DELETE /session/alerts/devices/{id}',
  createApiKey: 'POST /v1/api-keys keyed',
  listApiKeys: 'GET /v1/api-keys',
  getApiKey: 'GET /v1/api-keys/{keyId}',
  updateApiKey: 'PATCH /v1/api-keys/{keyId}',
  deleteApiKey: 'DELETE /v1/api-keys/{keyId}',
  listEvents: 'GET /v1/events paged',
  listAuditLog: 'GET /v1/audit-log paged',
  listPlans: 'GET /v1/plans paged',
  putPlan: 'PUT /v1/plans/{name}',
  deletePlan: 'DELETE /v1/plans/{name}',
  createTeamMember: 'POST /v1/teams/{id}/members keyed',
  listTeamMembers: 'GET /v1/teams/{id}/members paged',
  inviteTeamMember: 'POST /v1/teams/{id}/members/{userId}/invite',
  updateTeamMember: 'PATCH /v1/teams/{id}/members/{userId}',
  deleteTeamMember: 'DELETE /v1/teams/{id}/members/{userId}',
  createUser: 'POST /v1/users keyed',
  listUsers: 'GET /v1/users paged',
  inviteUser: 'POST /v1/users/{id}/invite',
  updateUser: 'PATCH /v1/users/{id}',
  deleteUser: 'DELETE /v1/users/{id}',
  getBrand: 'GET /v1/teams/{id}/brand',
  putBrand: 'PUT /v1/teams/{id}/brand',
  getHost: 'GET /v1/hosts/{name}',
  putHost: 'PUT /v1/hosts/{name}',
  deleteHost: 'DELETE /v1/hosts/{name}',
  createPortalLink: 'POST /v1/portal-links',
  createTeam: 'POST /v1/teams keyed',
  listTeams: 'GET /v1/teams paged cursor',
  getTeam: 'GET /v1/teams/{id}',
  updateTeam: 'PATCH /v1/teams/{id}',
  deleteTeam: 'DELETE /v1/teams/{id}',
  getTeamUsage: 'GET /v1/teams/{id}/usage',
  getQuotaWarnings: 'GET /v1/quota-warnings',
  getCompliance: 'GET /v1/teams/{id}/compliance',
  uploadDocument: 'POST /v1/documents keyed form',
  listDocuments: 'GET /v1/documents paged cursor',
  getDocument: 'GET /v1/documents/{id}',
  renameDocument: 'PATCH /v1/documents/{id}',
  deleteDocument: 'DELETE /v1/documents/{id}',
  getDocumentContent: 'GET /v1/documents/{id}/content raw',
  createBot: 'POST /v1/bots keyed',
  listBots: 'GET /v1/bots paged cursor',
  getBot: 'GET /v1/bots/{id}',
  updateBot: 'PATCH /v1/bots/{id}',
  deleteBot: 'DELETE /v1/bots/{id}',
  publishBot: 'POST /v1/bots/{id}/publish',
  listBotVersions: 'GET /v1/bots/{id}/versions paged',
  getBotVersion: 'GET /v1/bots/{id}/versions/{version}',
  restoreBotVersion: 'POST /v1/bots/{id}/versions/{version}/restore',
  listCases: 'GET /v1/bots/{id}/cases paged cursor',
  createCase: 'POST /v1/bots/{id}/cases keyed',
  importCases: 'POST /v1/bots/{id}/cases/import',
  proposeCases: 'POST /v1/bots/{id}/cases/propose',
  getCase: 'GET /v1/bots/{id}/cases/{caseId}',
  updateCase: 'PATCH /v1/bots/{id}/cases/{caseId}',
  deleteCase: 'DELETE /v1/bots/{id}/cases/{caseId}',
  createRun: 'POST /v1/bots/{id}/runs keyed',
  listRuns: 'GET /v1/bots/{id}/runs paged cursor',
  getRun: 'GET /v1/runs/{id}',
  listRunResults: 'GET /v1/runs/{id}/results paged',
  getGate: 'GET /v1/bots/{id}/gate',
  putGate: 'PUT /v1/bots/{id}/gate',
  deleteGate: 'DELETE /v1/bots/{id}/gate',
  getPreview: 'GET /v1/bots/{id}/preview',
  setPreview: 'POST /v1/bots/{id}/preview',
  getBotHealth: 'GET /v1/bots/{id}/health',
  getBotAnalytics: 'GET /v1/bots/{id}/analytics',
  getTeamAnalytics: 'GET /v1/teams/{id}/analytics',
  createDevice: 'POST /v1/devices keyed',
  listDevices: 'GET /v1/devices paged cursor',
  getDevice: 'GET /v1/devices/{id}',
  updateDevice: 'PATCH /v1/devices/{id}',
  deleteDevice: 'DELETE /v1/devices/{id}',
  revokeDeviceToken: 'POST /v1/devices/{id}/revoke-token',
  connectDevice: 'POST /v1/devices/{id}/connect',
  getDeviceStatus: 'GET /v1/devices/{id}/status',
  stopDevice: 'POST /v1/devices/{id}/stop',
  logoutDevice: 'POST /v1/devices/{id}/logout',
  putDeviceCredentials: 'PUT /v1/devices/{id}/credentials',
  listTemplates: 'GET /v1/devices/{id}/templates paged cursor',
  createTemplate: 'POST /v1/devices/{id}/templates',
  deleteTemplate: 'DELETE /v1/devices/{id}/templates/{templateId}',
  createDeviceLink: 'POST /v1/devices/{id}/link',
  deleteDeviceLink: 'DELETE /v1/devices/{id}/link',
  getLinkStatus: 'POST /link/status',
  getLinkBrand: 'POST /link/brand',
  putLinkCredentials: 'POST /link/credentials',
  connectLink: 'POST /link/connect',
  listPools: 'GET /v1/pools paged',
  drainPool: 'POST /v1/pools/{id}/drain',
  exportContact: 'POST /v1/contacts/{number}/export',
  eraseContact: 'POST /v1/contacts/{number}/erase',
  listContacts: 'GET /v1/contacts paged cursor',
  getContact: 'GET /v1/contacts/{number}',
  updateContact: 'PATCH /v1/contacts/{number}',
  getConsents: 'GET /v1/contacts/{number}/consents',
  putConsent: 'PUT /v1/contacts/{number}/consents',
  importConsents: 'POST /v1/consents/import',
  createWebhook: 'POST /v1/webhooks keyed',
  listWebhooks: 'GET /v1/webhooks paged',
  getWebhook: 'GET /v1/webhooks/{id}',
  updateWebhook: 'PATCH /v1/webhooks/{id}',
  deleteWebhook: 'DELETE /v1/webhooks/{id}',
  rotateWebhookSecret: 'POST /v1/webhooks/{id}/rotate-secret',
  testWebhook: 'POST /v1/webhooks/{id}/test',
  listWebhookDeliveries: 'GET /v1/webhooks/{id}/deliveries paged',
  replayWebhook: 'POST /v1/webhooks/{id}/replay',
  listMessages: 'GET /v1/messages paged cursor',
  getMessage: 'GET /v1/messages/{id}',
  getMessageMedia: 'GET /v1/messages/{id}/media raw',
  getActivity: 'GET /v1/activity',
  getAttention: 'GET /v1/attention',
  listConversations: 'GET /v1/conversations paged cursor',
  getConversation: 'GET /v1/conversations/{id}',
  listConversationMessages: 'GET /v1/conversations/{id}/messages paged cursor',
  writeToConversation: 'POST /v1/conversations/{id}/messages keyed',
  pauseConversation: 'POST /v1/conversations/{id}/pause',
  closeConversation: 'POST /v1/conversations/{id}/close',
  answerConversation: 'POST /v1/conversations/{id}/answer',
  markConversationRead: 'POST /v1/conversations/{id}/read',
  resumeConversation: 'POST /v1/conversations/{id}/resume',
  sendFileToConversation: 'POST /v1/conversations/{id}/files keyed form',
  assignConversation: 'POST /v1/conversations/{id}/assign',
  labelConversation: 'POST /v1/conversations/{id}/labels',
  createNote: 'POST /v1/conversations/{id}/notes keyed',
  listNotes: 'GET /v1/conversations/{id}/notes paged cursor',
  noteTyping: 'POST /v1/conversations/{id}/typing',
  getSavedReplies: 'GET /v1/teams/{id}/saved-replies',
  putSavedReplies: 'PUT /v1/teams/{id}/saved-replies',
  getHours: 'GET /v1/teams/{id}/hours',
  putHours: 'PUT /v1/teams/{id}/hours',
  sendMessage: 'POST /v1/send keyed',
  getMessageAnswer: 'GET /v1/messages/{id}/answer',
  rateMessage: 'PUT /v1/messages/{id}/rating',
  getUnansweredQuestions: 'GET /v1/bots/{id}/unanswered',
  getWaiting: 'GET /v1/bots/{id}/waiting',
  answerWaiting: 'POST /v1/bots/{id}/waiting',
  askBot: 'POST /v1/bots/{id}/ask',
  tryBotAction: 'POST /v1/bots/{id}/actions/{actionId}/try',
} as const;
