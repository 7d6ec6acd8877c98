import jsQR from 'jsqr';

/** Reads the text of a QR code from a picture as a data URI, like the camera of a phone. */
export async function readQrCode(picture: string): Promise<string> {
  const image = new Image();
  image.src = picture;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This browser cannot read pictures');
  context.drawImage(image, 0, 0);
  const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
  const code = jsQR(data, width, height);
  if (code === null) throw new Error('The picture contains no QR code');
  return code.data;
}
