import type { Brand } from '@parley/sdk';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../api/client.ts';
import { markPath } from './brand-mark.tsx';
import { changeBrand } from './settings.ts';
import { useMay } from './use-may.ts';
import { useActor } from './use-session.ts';

export const brandQuery = (team: string) =>
  queryOptions({
    queryKey: ['brand', team],
    queryFn: ({ signal }) => api.getBrand({ id: team }, { signal }),
  });

/** Shows the brand of the actor's team in the whole console. */
export function useTeamBrand(): void {
  const { teamId } = useActor();
  const mayRead = useMay()('getBrand');
  const { data } = useQuery({ ...brandQuery(teamId ?? ''), enabled: teamId !== null && mayRead });
  useBrandOf(data);
}

/** Shows the brand of a team as long as the page is open. */
export function useBrandOf(brand: Brand | null | undefined): void {
  useEffect(() => {
    if (!brand) return;
    show(brand);
    return () => show(null);
  }, [brand]);
}

/** Null: as the service has put it into the page. */
function show(brand: Brand | null): void {
  changeBrand(brand);
  const { style } = document.documentElement;
  const { accent, on_accent, text_on_light, text_on_dark } = brand?.accents ?? {};
  const colors = {
    '--accent': accent,
    '--on-accent': on_accent,
    '--accent-text': accent && `light-dark(${text_on_light}, ${text_on_dark})`,
  };
  for (const [name, value] of Object.entries(colors)) {
    if (value === undefined) style.removeProperty(name);
    else style.setProperty(name, value);
  }
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (icon !== null) icon.href = brand === null ? '/console/icon.svg' : iconOf(brand);
}

function iconOf({ logo, accents }: Brand): string {
  if (logo !== null) return logo;
  if (accents === null) return '/console/icon.svg';
  const { accent, on_accent } = accents;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${accent}"/><path d="${markPath}" fill="${on_accent}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
