import jsqr from 'jsqr';
import { PNG } from 'pngjs';

/** The text in a picture of a QR code (a PNG as data URI), read as a phone's camera would. */
export function readQrCode(dataUri: string): string {
  const image = PNG.sync.read(Buffer.from(dataUri.split(',')[1] ?? '', 'base64'));
  const code = jsqr.default(new Uint8ClampedArray(image.data), image.width, image.height);
  if (code === null) throw new Error('the QR code could not be read');
  return code.data;
}
