export interface QrImages {
  /** Returns a PNG as a data URI. */
  getImage(code: string): Promise<string>;
}

/** Caches images, because rendering takes milliseconds and clients poll each code many times. */
export function createQrImages(capacity = 500): QrImages {
  const images = new Map<string, Promise<string>>();
  return {
    getImage(code) {
      const image = images.get(code) ?? draw(code);
      // Moves the code to the end. The first key of the map is the least recently used.
      images.delete(code);
      images.set(code, image);
      const [oldest] = images.keys();
      if (images.size > capacity && oldest !== undefined) images.delete(oldest);
      return image;
    },
  };
}

/** Loads the library with the first code, because most processes never show one. */
async function draw(code: string): Promise<string> {
  const { toDataURL } = await import('qrcode');
  return toDataURL(code, { errorCorrectionLevel: 'M', width: 320 });
}
