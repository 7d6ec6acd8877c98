import { metadataOf } from './send.ts';
import { type Account, type FakeState, type Fault, newWamid, type Person, type Template } from './state.ts';
import { type Delivery, verifyWebhook, type Webhooks } from './webhooks.ts';

interface Fake {
  state: FakeState;
  webhooks: Webhooks;
}

/** The commands of tests, by the last part of their path. */
// biome-ignore lint/suspicious/noExplicitAny: each command reads the members that its caller in fake-graph.ts sends
const commands: Readonly<Record<string, (fake: Fake, given: any) => unknown>> = {
  account({ state }, given: Account) {
    state.accounts.set(given.phone_number_id, {
      ...given,
      webhook_url: null,
      subscribed: false,
      quality_rating: 'GREEN',
      messaging_limit: 'TIER_UNLIMITED',
      is_on_biz_app: false,
    });
  },

  /** The network pushes that something changed, and what it was. */
  rate({ state, webhooks }, { phone, ...rating }: { phone: string } & Pick<Account, 'quality_rating'>) {
    const account = accountOf(state, phone);
    Object.assign(account, rating);
    webhooks.push(account, 'phone_number_quality_update', {
      display_phone_number: account.display_phone_number,
      event: account.quality_rating === 'RED' ? 'FLAGGED' : 'UNFLAGGED',
      current_limit: account.messaging_limit,
    });
  },

  async webhook({ state }, { phone, url, token }: { phone: string; url: string; token: string }) {
    const isVerified = await verifyWebhook(url, token);
    if (isVerified) accountOf(state, phone).webhook_url = url;
    return { verified: isVerified };
  },

  write({ state, webhooks }, { phone, from, message }: { phone: string; from: Person; message: object }) {
    const account = accountOf(state, phone);
    for (const id of [from.wa_id, from.user_id])
      if (id !== null) state.wrote.set(`${phone}/${id}`, state.now());
    const id = newWamid();
    webhooks.push(account, 'messages', {
      messaging_product: 'whatsapp',
      metadata: metadataOf(account),
      contacts: [
        {
          profile: { name: from.name },
          ...(from.wa_id !== null && { wa_id: from.wa_id }),
          user_id: from.user_id,
        },
      ],
      messages: [
        {
          ...(from.wa_id !== null && { from: from.wa_id }),
          from_user_id: from.user_id,
          id,
          timestamp: state.seconds(),
          ...message,
        },
      ],
    });
    return { id };
  },

  echo({ state, webhooks }, { phone, to, message }: { phone: string; to: Person; message: object }) {
    const account = accountOf(state, phone);
    const id = newWamid();
    webhooks.push(account, 'smb_message_echoes', {
      messaging_product: 'whatsapp',
      metadata: metadataOf(account),
      message_echoes: [
        {
          from: account.display_phone_number,
          ...(to.wa_id !== null && { to: to.wa_id }),
          to_user_id: to.user_id,
          id,
          timestamp: state.seconds(),
          ...message,
        },
      ],
    });
    return { id };
  },

  account_event(
    { state, webhooks },
    { phone, field, value }: { phone: string; field: string; value: object },
  ) {
    webhooks.push(accountOf(state, phone), field, value);
  },

  review(
    { state, webhooks },
    given: { phone: string; name: string; status: Template['status']; reason?: string; silent?: boolean },
  ) {
    const account = accountOf(state, given.phone);
    const found = (state.templates.get(account.waba_id) ?? []).filter(({ name }) => name === given.name);
    for (const template of found) {
      template.status = given.status;
      template.rejected_reason = given.reason ?? 'NONE';
      if (given.silent === true) continue;
      webhooks.push(account, 'message_template_status_update', {
        event: given.status,
        message_template_id: template.id,
        message_template_name: template.name,
        message_template_language: template.language,
        reason: given.reason ?? 'NONE',
      });
    }
    return { reviewed: found.length };
  },

  medium({ state }, given: { phone: string; mime_type: string; base64: string }) {
    const bytes = Buffer.from(given.base64, 'base64');
    return { id: state.storeMedium({ bytes, mime_type: given.mime_type, owner: given.phone }) };
  },

  /** Past their end, addresses of media are refused. */
  expire_addresses({ state }) {
    for (const each of state.addresses.values()) each.until = 0;
  },

  expire_token({ state }, { token }: { token: string }) {
    state.expiredTokens.add(token);
  },

  fault({ state }, { faults }: { faults: Fault[] }) {
    state.faults.push(...faults);
  },

  media_fault({ state }, fault: { status: number; code: number }) {
    state.mediaFaults.push(fault);
  },

  delivery({ webhooks }, given: Partial<Delivery>) {
    webhooks.delivery = { ...webhooks.delivery, ...given };
    if (webhooks.delivery.reverse === 0) webhooks.release();
  },

  clock({ state }, { ms }: { ms: number }) {
    state.moveClock(ms);
  },

  sent: ({ state }, { phone }: { phone: string }) =>
    state.sent.filter((each) => each.phone_number_id === phone),

  media: ({ state }, { id }: { id: string }) => {
    const medium = state.media.get(id);
    return { mime_type: medium?.mime_type, base64: medium?.bytes.toString('base64') };
  },

  refused: ({ webhooks }) => webhooks.refused,
};

function accountOf(state: FakeState, phone: string): Account {
  const account = state.accounts.get(phone);
  if (account === undefined) throw new Error(`the fake has no number ${phone}`);
  return account;
}

export async function control(fake: Fake, command: string, given: object): Promise<object> {
  const run = commands[command];
  if (run === undefined) throw new Error(`the fake has no command ${command}`);
  return ((await run(fake, given)) ?? {}) as object;
}
