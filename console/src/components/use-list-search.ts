import { useNavigate } from '@tanstack/react-router';

/** The page and the filters of a list, which its address keeps. */
export interface ListSearch<Search> {
  page: number;
  /** Another page than the first counts as a filter: it may be empty although the list is not. */
  isFiltered: boolean;
  /** Whether there are filters besides the team. An empty list of a team needs its first object, not fewer filters. */
  isSearched: boolean;
  /** `replace`: without a step in the history of the browser. */
  showPage(page: number, replace?: boolean): void;
  /** Filters show the first page. */
  filter(changed: Partial<Search>): void;
  clearFilters(): void;
}

/** `search` is that of the route of the component. */
export function useListSearch<Search extends { page?: number | undefined }>(
  search: Search,
): ListSearch<Search> {
  const navigate = useNavigate();
  const { page = 1, ...filters } = search;
  const used = Object.entries(filters).filter(([, value]) => value !== undefined);
  const change = (changed: object, replace = false) =>
    afterPaint(() => void navigate({ to: '.', search: (old: object) => ({ ...old, ...changed }), replace }));
  return {
    page,
    isFiltered: page > 1 || used.length > 0,
    isSearched: page > 1 || used.some(([name]) => name !== 'team'),
    showPage: (shown, replace) => change({ page: shown > 1 ? shown : undefined }, replace),
    filter: (changed) => change({ ...changed, page: undefined }, true),
    clearFilters: () => void navigate({ to: '.', search: {} }),
  };
}

/** Runs work after the browser has painted the response to a click or a key, because the work would delay the paint. */
const afterPaint = (work: () => void): void => {
  requestAnimationFrame(() => setTimeout(work));
};
