const size = 192;

/** Returns the middle of a picture as a small square, as a data URI. Rejects for a file that is no picture. */
export async function toSquare(file: Blob): Promise<string> {
  const picture = await createImageBitmap(file);
  const side = Math.min(picture.width, picture.height);
  const canvas = document.createElement('canvas');
  canvas.width = size;
  canvas.height = size;
  const [left, top] = [(picture.width - side) / 2, (picture.height - side) / 2];
  canvas.getContext('2d')?.drawImage(picture, left, top, side, side, 0, 0, size, size);
  picture.close();
  return canvas.toDataURL('image/jpeg', 0.85);
}
