import type { FetchedImage } from '../../platform/outbound/fetch-image.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { accentStyle } from './accent-style.ts';

/** How the console presents itself. */
export interface Brand {
  name: string;
  /** The style sheet with the accent colour. */
  style: string;
  logo: FetchedImage | null;
}

const logoTypes = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);
const maxLogoBytes = 512 * 1024;

/** Fetches the logo once, so that browsers need no other host. Without a usable one, the console shows its own mark. */
export async function loadBrand(options: {
  name: string;
  color: string;
  logoUrl: string | null;
  fetchImage: (url: string) => Promise<FetchedImage>;
  logger: Pick<Logger, 'warn'>;
}): Promise<Brand> {
  const { name, color, logoUrl } = options;
  return {
    name,
    style: accentStyle(color),
    logo: logoUrl === null ? null : await loadLogo(options, logoUrl),
  };
}

async function loadLogo(
  { fetchImage, logger }: Parameters<typeof loadBrand>[0],
  url: string,
): Promise<FetchedImage | null> {
  try {
    const logo = await fetchImage(url);
    if (logoTypes.has(logo.mimeType) && logo.bytes.length <= maxLogoBytes) return logo;
    const { mimeType, bytes } = logo;
    logger.warn(
      { url, mimeType, bytes: bytes.length },
      'BRAND_LOGO_URL must be a PNG, JPEG, WebP or GIF of at most 512 KiB; the console shows no logo',
    );
  } catch (error) {
    logger.warn({ url, err: error }, 'BRAND_LOGO_URL could not be fetched; the console shows no logo');
  }
  return null;
}
