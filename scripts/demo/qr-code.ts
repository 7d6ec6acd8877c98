import jsqr from 'jsqr';
import { PNG } from 'pngjs';

/** Returns the text of a QR code in a PNG, given as a data URI. */
export function readQrCode(dataUri: string): string {
  const image = PNG.sync.read(Buffer.from(dataUri.split(',')[1] ?? '', 'base64'));
  const code = jsqr.default(new Uint8ClampedArray(image.data), image.width, image.height);
  if (code === null) throw new Error('The picture contains no readable QR code.');
  return code.data;
}
