import type { CloudIdentity } from './contact-key.ts';

/** The members of the webhook that Parley reads. The network sends more. */
export interface CloudValue {
  metadata?: { phone_number_id?: string };
  contacts?: CloudProfile[];
  messages?: CloudMessage[];
  statuses?: CloudStatus[];
  message_echoes?: CloudMessage[];
  /** Of events about the account. */
  event?: string;
  current_limit?: string;
  max_daily_conversations_per_business?: string | number;
  ban_info?: { waba_ban_state?: string };
  message_template_name?: string;
  message_template_language?: string;
  message_template_id?: string | number;
  reason?: string | null;
}

export interface CloudProfile extends CloudIdentity {
  profile?: { name?: string; username?: string };
}

export interface CloudMedia {
  id?: string;
  mime_type?: string;
  caption?: string;
  filename?: string;
  voice?: boolean;
  animated?: boolean;
}

export interface CloudMessage extends CloudIdentity {
  id: string;
  /** Seconds. */
  timestamp?: string;
  type?: string;
  /** The contact, of an echo. */
  to?: string;
  to_user_id?: string;
  context?: { id?: string; from?: string };
  text?: { body?: string };
  image?: CloudMedia;
  audio?: CloudMedia;
  video?: CloudMedia;
  document?: CloudMedia;
  sticker?: CloudMedia;
  location?: { latitude?: number; longitude?: number; name?: string; address?: string };
  contacts?: {
    name?: { formatted_name?: string };
    phones?: { phone?: string; wa_id?: string }[];
    emails?: { email?: string }[];
  }[];
  reaction?: { message_id?: string; emoji?: string };
  button?: { text?: string; payload?: string };
  interactive?: {
    type?: string;
    button_reply?: { id?: string; title?: string };
    list_reply?: { id?: string; title?: string; description?: string };
    nfm_reply?: { body?: string; name?: string; response_json?: string };
  };
  order?: {
    catalog_id?: string;
    text?: string;
    product_items?: {
      product_retailer_id?: string;
      quantity?: number;
      item_price?: number;
      currency?: string;
    }[];
  };
  edit?: { original_message_id?: string; message?: CloudMessage };
  revoke?: { original_message_id?: string };
  system?: { type?: string; body?: string; wa_id?: string; user_id?: string; previous_user_id?: string };
  errors?: CloudError[];
}

interface CloudError {
  code?: number;
  title?: string;
  message?: string;
}

export interface CloudStatus extends CloudIdentity {
  id: string;
  status?: string;
  timestamp?: string;
  biz_opaque_callback_data?: string;
  pricing?: { billable?: boolean; category?: string; pricing_model?: string; type?: string };
  errors?: CloudError[];
}

/** An event in the inbox. */
export type CloudEvent =
  | { type: 'message'; message: CloudMessage; profile: CloudProfile }
  | { type: 'echo'; message: CloudMessage }
  | { type: 'status'; status: CloudStatus }
  | { type: 'account'; field: string; value: CloudValue };
