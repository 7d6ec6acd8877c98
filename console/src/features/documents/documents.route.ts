import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.tsx';
import { lazyPage } from '../../components/lazily.tsx';
import { readChoice, readPage, readText } from '../../lib/search-params.ts';
import { type DocumentType, documentTypes } from './document-types.ts';

interface DocumentsSearch {
  page?: number | undefined;
  name?: string | undefined;
  team?: string | undefined;
  type?: DocumentType | undefined;
}

export const documentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/documents',
  validateSearch: ({ page, name, team, type }: Record<string, unknown>): DocumentsSearch => ({
    page: readPage(page),
    name: readText(name),
    team: readText(team),
    type: readChoice(type, documentTypes),
  }),
  component: lazyPage(() => import('./documents-page.tsx'), 'DocumentsPage'),
});
