import { toDataURL } from 'qrcode';

/** PNG images of codes as data URIs. */
export interface QrImages {
  imageOf(code: string): Promise<string>;
}

/** Drawing takes milliseconds, and a code is polled many times: the last `capacity` images are kept. */
export function createQrImages(capacity = 500): QrImages {
  const images = new Map<string, Promise<string>>();
  return {
    imageOf(code) {
      const image = images.get(code) ?? toDataURL(code, { errorCorrectionLevel: 'M', width: 320 });
      // Put back at the end: the map's first key is the one unused for longest.
      images.delete(code);
      images.set(code, image);
      const [oldest] = images.keys();
      if (images.size > capacity && oldest !== undefined) images.delete(oldest);
      return image;
    },
  };
}
