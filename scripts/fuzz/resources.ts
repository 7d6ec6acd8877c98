import { createObjectFactory, readCreatedId } from '../../server/test/openapi/create-object.ts';
import type { Draw } from '../../server/test/openapi/draw.ts';
import { type ApiOperation, collectionOf } from '../../server/test/openapi/operations.ts';
import type { SampleFiles } from '../../server/test/openapi/requests.ts';
import type { References } from '../../server/test/openapi/sample-values.ts';
import type { Wire, WireResponse } from '../../server/test/openapi/wire.ts';
import { connectSetupClient, type Key, type ResourceFactory } from './setup-client.ts';
import { createSpareResources } from './spare-resources.ts';
import { createTargets, type Targets } from './targets.ts';

/** The objects that requests refer to. */
export interface Resources {
  tokens: Tokens;
  targets: Targets;
  /** Returns ids for the next request of an operation, and creates missing objects. */
  referencesFor(operation: ApiOperation): Promise<References>;
  /** Records the object that a request created or failed to delete. */
  record(operation: ApiOperation, references: References, response: WireResponse): void;
}

interface Tokens {
  global: string;
  /** Of a key with the home team's scope. */
  team: string;
  /** Of a deactivated key. */
  inactive: string;
}

const prefix = '/api/openapi/v1';

/** Creates the resources in a service that has just started. */
export async function createResources(options: {
  operations: readonly ApiOperation[];
  wire: Wire;
  key: Key;
  draw: Draw;
  files: SampleFiles;
}): Promise<Resources> {
  const { operations, wire } = options;
  const { token: global, setup, exchange } = await connectSetupClient(wire, options.key);
  // The first file is plain text, which keeps its extension when its document is renamed.
  const createObject = createObjectFactory({ ...options, token: global, files: options.files.slice(0, 1) });
  const targets = await createTargets({ operations, setup, createObject });
  const issueKey = async (key: object) => setup.call('POST', '/api-keys', { name: 'Fuzz', ...key });
  const inactiveKey = await issueKey({});
  const tokens = {
    global,
    team: await exchange(await issueKey({ scope: 'team', team_id: targets.home['teams'] })),
    inactive: await exchange(inactiveKey),
  };
  await setup.call('PATCH', `/api-keys/${inactiveKey.key_id}`, { is_active: false });
  const credentials = { keys: options.key.key_id, secrets: options.key.key_secret };
  return { tokens, targets, ...createReferences(targets, credentials, { operations, setup, createObject }) };
}

function createReferences(
  { home, sender }: Targets,
  credentials: References,
  factory: ResourceFactory,
): Pick<Resources, 'referencesFor' | 'record'> {
  const spareResources = createSpareResources(home, factory);
  return {
    async referencesFor(operation) {
      const references: Record<string, string | undefined> = { ...home, ...credentials };
      // Only a connected device can send.
      if (operation.body?.properties?.['device_id'] !== undefined) references['devices'] = sender;
      for (const parameter of operation.pathParameters) {
        const collection = collectionOf(operation, parameter);
        // The team of a member stays; only the last parameter is what the operation changes.
        const isParent = parameter !== operation.pathParameters.at(-1);
        if (isParent && home[collection] !== undefined) continue;
        references[collection] = await spareResources.choose(operation, collection);
      }
      return references;
    },
    record(operation, references, response) {
      const [, collection = ''] = new RegExp(`^${prefix}/([a-z-]+)`).exec(operation.path) ?? [];
      const changed = operation.pathParameters.at(-1);
      if (operation.method === 'DELETE' && changed !== undefined) {
        const deleted = collectionOf(operation, changed);
        const id = references[deleted];
        if (response.status !== 200 && id !== undefined) spareResources.add(deleted, id);
        return;
      }
      const created = [`${prefix}/${collection}`, `${prefix}/${collection}/{name}`];
      if (!created.includes(operation.path)) return;
      const id = readCreatedId(response);
      if (id !== null && belongsToHome(response, home)) spareResources.add(collection, id);
    },
  };
}

const belongsToHome = ({ json }: WireResponse, home: References): boolean => {
  const team = (json as { data?: { team_id?: string } }).data?.team_id;
  return team === undefined || team === home['teams'];
};
