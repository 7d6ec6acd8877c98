import { Type } from 'typebox';
import type { ReadList } from '../platform/database/read-list.ts';
import { requireActor } from '../platform/http/actor.ts';
import type { Routes } from '../platform/http/fastify-app.ts';
import { Message, operation, success, successWithMeta } from '../platform/http/operation.ts';
import { PageMeta, pageMeta } from '../platform/http/pagination.ts';
import { pathParameter } from '../platform/http/path-parameter.ts';
import { CreateTemplate, DeviceTemplate, ListTemplates } from './templates.schemas.ts';
import { createTemplate, deleteTemplate, listTemplates, type TemplateDeps } from './templates.ts';

const base = '/api/openapi/v1/devices/:id/templates';
const ofDevice = { tag: 'Devices', access: 'anyKey', resource: 'device', extension: true } as const;

/** What a device may send to contacts who have not written for 24 hours. */
export const templateRoutes =
  (deps: TemplateDeps & { readList: ReadList }): Routes =>
  (app) => {
    app.get(
      base,
      operation({
        ...ofDevice,
        id: 'listTemplates',
        summary: 'List the templates of a device, newest first',
        description: 'As the network last reported them. A device without templates has an empty list.',
        query: ListTemplates,
        data: Type.Array(DeviceTemplate),
        meta: PageMeta,
      }),
      async (request) => {
        const { templates, total } = await deps.readList((reader) =>
          listTemplates(
            reader,
            deps.readDevice,
            requireActor(request),
            pathParameter(request),
            request.query,
          ),
        );
        return successWithMeta(templates, pageMeta(request.query, total, templates));
      },
    );

    app.post(
      base,
      operation({
        ...ofDevice,
        id: 'createTemplate',
        summary: 'Ask the network to review a template',
        description:
          'The event `template.updated` reports the decision. A repeated request returns the same template.',
        body: CreateTemplate,
        data: DeviceTemplate,
      }),
      async (request) =>
        success(await createTemplate(deps, requireActor(request), pathParameter(request), request.body)),
    );

    app.delete(
      `${base}/:templateId`,
      operation({
        ...ofDevice,
        id: 'deleteTemplate',
        summary: 'Delete a template at the network',
        description: 'Messages that were sent with it stay.',
        data: Message,
      }),
      async (request) => {
        const ids = { deviceId: pathParameter(request), templateId: pathParameter(request, 'templateId') };
        await deleteTemplate(deps, requireActor(request), ids);
        return success({ message: 'Template deleted' });
      },
    );
  };
