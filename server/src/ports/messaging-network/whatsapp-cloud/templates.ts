import type { StoredCredentials } from '../credentials.ts';
import type { NetworkTemplate } from '../messaging-network.ts';
import { countVariables, type NewTemplate, type TemplateService } from '../network-templates.ts';
import { createGraphClient, type GraphClient, GraphRefusal } from './graph-client.ts';

/** The members that Parley reads. */
interface CloudTemplate {
  id?: string;
  name?: string;
  language?: string;
  category?: string;
  status?: string;
  rejected_reason?: string;
  components?: { type?: string; text?: string; format?: string }[];
}

const maxPages = 20;

/** The network gives the reason of a rejection only if it is asked for. */
const fields = 'id,name,language,category,status,rejected_reason,components';

/** Returns all templates of the business account. */
export async function listTemplates(
  graph: GraphClient,
  waba: string,
  signal?: AbortSignal,
): Promise<NetworkTemplate[]> {
  const found: NetworkTemplate[] = [];
  let after = '';
  for (let page = 0; page < maxPages; page += 1) {
    const path = `${waba}/message_templates?fields=${fields}&limit=100${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`;
    const { data = [], paging } = (await graph.call('GET', path, signal === undefined ? {} : { signal })) as {
      data?: CloudTemplate[];
      paging?: { next?: string; cursors?: { after?: string } };
    };
    found.push(...data.map(toTemplate));
    after = paging?.cursors?.after ?? '';
    if (paging?.next === undefined || after === '') return found;
  }
  return found;
}

const states: Readonly<Record<string, NetworkTemplate['state']>> = {
  APPROVED: 'approved',
  REJECTED: 'rejected',
  PAUSED: 'paused',
  DISABLED: 'disabled',
};

function toTemplate(template: CloudTemplate): NetworkTemplate {
  const {
    id = '',
    name = '',
    language = '',
    category = '',
    status = '',
    rejected_reason: reason,
    components = [],
  } = template;
  const body = components.find(({ type }) => type === 'BODY')?.text ?? '';
  const isFillable = components.every((component) => component.type === 'BODY' || isFixed(component));
  return {
    externalId: String(id),
    name,
    language,
    category: category.toLowerCase(),
    state: states[status] ?? 'pending',
    reason: reason === undefined || reason === 'NONE' ? null : reason.toLowerCase(),
    body,
    // Parley fills only the numbered variables of the body.
    variables: isFillable && !/{{\s*[^\d\s]/.test(body) ? countVariables(body) : null,
  };
}

/** A header with a file, and a button with a variable, need a parameter in each message. */
const isFixed = (component: { format?: string }): boolean =>
  (component.format ?? 'TEXT') === 'TEXT' && !/{{/.test(JSON.stringify(component));

export function createCloudTemplates(baseUrl: string): TemplateService {
  const open = ({ fields: { access_token: token = '', waba_id: waba = '' } }: StoredCredentials) => ({
    graph: createGraphClient(baseUrl, token),
    waba,
  });
  return {
    async create(credentials, template) {
      const { graph, waba } = open(credentials);
      const refusal = await graph
        .call('POST', `${waba}/message_templates`, { body: toBody(template) })
        .then(() => null)
        .catch((error: unknown) => {
          if (error instanceof GraphRefusal) return error;
          throw error;
        });
      const all = await listTemplates(graph, waba);
      const found = all.find(
        ({ name, language }) => name === template.name && language === template.language,
      );
      // An earlier call may have created it without a response.
      if (found?.body === template.body) return { template: found };
      return { refused: refusal?.explanation ?? 'the network has no such template after it was created' };
    },

    async remove(credentials, { name, externalId }) {
      const { graph, waba } = open(credentials);
      const query = new URLSearchParams({ name, ...(externalId !== null && { hsm_id: externalId }) });
      await graph.call('DELETE', `${waba}/message_templates?${query}`).catch((error: unknown) => {
        const isGone = error instanceof GraphRefusal && (error.status === 404 || error.code === 100);
        if (!isGone) throw error;
      });
    },
  };
}

const toBody = ({ name, language, category, body, examples, footer }: NewTemplate) => ({
  name,
  language,
  category: category.toUpperCase(),
  components: [
    { type: 'BODY', text: body, ...(examples.length > 0 && { example: { body_text: [examples] } }) },
    ...(footer === undefined ? [] : [{ type: 'FOOTER', text: footer }]),
  ],
});
